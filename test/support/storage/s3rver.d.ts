/** The parts that we use of an in-process S3-compatible server, which has no types. */
declare module '@20minutes/s3rver' {
  import type { Server } from 'node:http';
  import type { AddressInfo } from 'node:net';

  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      directory: string;
      silent: boolean;
      vhostBuckets: boolean;
      configureBuckets: { name: string }[];
    });
    readonly httpServer: Server;
    readonly store: {
      listObjects(bucket: string, options: object): Promise<{ objects: { key: string }[] }>;
      getObject(bucket: string, key: string, options?: { start?: number; end?: number }): Promise<unknown>;
      deleteObject(bucket: string, key: string): Promise<unknown>;
      putObject(object: { bucket: string; key: string; content: Buffer; metadata: object }): Promise<unknown>;
    };
    run(): Promise<AddressInfo>;
    close(): Promise<void>;
  }
}

declare module '@20minutes/s3rver/lib/signature/v4.js' {
  const v4: {
    getStringToSign(canonical: { uri: string; querystring: string }, request: object): string;
  };
  export default v4;
}
