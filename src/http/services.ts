import type { Services as AppServices } from '../app/execute.ts';
import type { Installation } from '../app/reports/installation.ts';

/** The services of the routes. */
export interface Services extends AppServices {
  installation: Installation;
  settings: RouteSettings;
}

export interface RouteSettings {
  /** Public address without a trailing slash; null to use the Host of each request. */
  baseUrl: string | null;
  /** Whether the server has the API `/client/v1`. */
  clientApi: 'on' | 'off';
  /** Sign-in attempts of one network to the console in a minute; 0 is no limit. */
  signInLimit: number;
  /** Hours that a download address is valid. */
  downloadHours: number;
  /** History records to keep for each license; 0 keeps all. */
  historyKeep: number;
  /** Days for which events are kept. */
  eventDays: number;
}
