// Made by `npm run console:client` from the schemas of src/http/admin/. Do not edit.

export interface paths {
    "/generators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List generators, newest first */
        get: operations["listGenerators"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: never;
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listGenerators: {
        parameters: {
            query?: {
                /** @description The `next` of the page before */
                before?: number | string;
                /** @description Records on a page; 50 when not sent */
                limit?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        code: string;
                        data: {
                            /** @description What is wrong, by parameter */
                            params?: {
                                [key: string]: string;
                            };
                            status: number;
                        };
                        message: string;
                    };
                };
            };
            /** @description Failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        code: string;
                        data: {
                            /** @description What is wrong, by parameter */
                            params?: {
                                [key: string]: string;
                            };
                            status: number;
                        };
                        message: string;
                    };
                };
            };
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            activations_limit: number;
                            charset: string;
                            chunk_length: number;
                            chunks: number;
                            created_at: string;
                            expires_in: number;
                            id: number;
                            name: string;
                            prefix: string | null;
                            separator: string;
                            suffix: string | null;
                            updated_at: string | null;
                        }[];
                        next: number | null;
                        total: number | null;
                        total_is_more: boolean;
                    };
                };
            };
        };
    };
}
