import { ANY_HEADERS } from '../docs/components.ts';
import { ALWAYS, answer, failures, OF_LICENSE, operation } from './documentation.ts';
import { receiptInput, requestInput } from './request.ts';
import { seat } from './schemas.ts';

const REQUEST = 'LKREQ1.eyJhbGciOiJFZERTQSIsInR5cCI6ImxrLXJlcXVlc3Qrand0In0.eyJrZXkiOiJBQ01F…';
const RECEIPT = 'LKOFF1.eyJhbGciOiJFZERTQSIsInR5cCI6ImxrLXJlbGVhc2Urand0In0.eyJzdWIiOiJhY3Rf…';
const LEASE = 'LKLEASE1.eyJhbGciOiJFZERTQSIsInR5cCI6ImxrLWxlYXNlK2p3dCIsImtpZCI6IjNV…';

/** The schemas of the routes for devices without network. */
export const OFFLINE_OPERATIONS = {
  activate: {
    ...operation('activateOfflineDevice', 'Activate a device without network', [], requestInput, {
      request: REQUEST,
    }),
    description:
      'For a device with network that delivers the request of a device without network. The same request gets the same seat. The lease works only on the device that has made the request. A floating seat is borrowed.',
    response: {
      200: answer('The seat that the device has, and a new lease', 'offline', seat(undefined, LEASE)),
      201: answer('A new seat', 'offline', seat(undefined, LEASE)),
      ...failures([
        ...(['license_not_found', ...OF_LICENSE, 'not_covered', 'seat_limit_reached'] as const),
        ...(['seat_not_borrowable', ...ALWAYS] as const),
      ]),
    },
  },
  deactivate: {
    ...operation('deactivateOfflineDevice', 'Deactivate a device without network', [], receiptInput, {
      receipt: RECEIPT,
    }),
    description:
      'For a device with network that delivers the receipt of a device without network. Frees the seat. Succeeds also if the activation had ended already.',
    response: {
      204: { description: 'The seat is free', headers: ANY_HEADERS, type: 'null' },
      ...failures(['receipt_unknown', 'receipt_outdated', ...ALWAYS]),
    },
  },
};
