// Made by `npm run console:client` from the schemas of src/http/admin/. Do not edit.

export interface paths {
    "/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How one signs in */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change name or address
         * @description Another address takes the password: POST /session/confirm.
         */
        patch: operations["updateAccount"];
        trace?: never;
    };
    "/account/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the password; other browsers are signed out */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** New recovery codes; those before are good no more */
        post: operations["replaceRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A secret for an authenticator
         * @description It counts when a code of it was shown.
         */
        post: operations["beginTotp"];
        /** Switch the second factor off */
        delete: operations["removeOwnTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Switch the second factor on, by a code of the authenticator */
        post: operations["confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look for activations, newest first
         * @description Counts up to 10,000.
         */
        get: operations["listActivations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activations/{activation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete an activation; the place of a valid one is free again */
        delete: operations["deleteActivation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activations/{activation_id}/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End an activation; its place is free again */
        post: operations["deactivateActivation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activations/{activation_id}/reactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make an activation valid again, where its license has a place for it */
        post: operations["reactivateActivation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List API keys, newest first, and what one can be allowed */
        get: operations["listApiKeys"];
        put?: never;
        /** Create an API key; its secret is shown this once */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke an API key for good; it is refused from then on */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        /**
         * Change what is sent of an API key; it holds from the next request on
         * @description Neither one that is revoked nor that of LATCHKEY_CONSUMER_KEY can be changed.
         */
        patch: operations["updateApiKey"];
        trace?: never;
    };
    "/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace an API key by a new one with the same rights; the old one stays good for a while
         * @description The grace is `90m`, `12h`, `7d`, or `0` to end the old one at once; 7d when not sent.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List who changed what, newest first */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List who can sign in by name, to filter the audit trail by */
        get: operations["listAuditUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sum up what there is, what happens, and what is due */
        get: operations["getDashboard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
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
        /** Create a generator */
        post: operations["createGenerator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/generators/{generator_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a generator */
        get: operations["getGenerator"];
        put?: never;
        post?: never;
        /** Delete a generator; its licenses stay */
        delete: operations["deleteGenerator"];
        options?: never;
        head?: never;
        /** Change what is sent of a generator */
        patch: operations["updateGenerator"];
        trace?: never;
    };
    "/generators/{generator_id}/generate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate license keys
         * @description With save, stores them as licenses: all of them or none. The result is {"count":n,"saved":true,"keys":[…]}. Where the client goes away before the last step, none is made.
         */
        post: operations["generateKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/generators/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Look at what keys a generator would make; nothing is kept */
        post: operations["previewGenerator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import licenses from a CSV file: all of them or none
         * @description The result is {"done","read","imported","rejected_total"}. One bad line refuses the file, but for skip_bad. Where the client goes away before the last step, nothing is imported. Lines that are rejected come before the result, in parts {"faults":[[{"parameter","reason","code","args"},…],…],"lines":[[line,why],…]}: why is the place among the faults of the first part; parameter is null where the line as a whole is wrong.
         */
        post: operations["importLicenses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports/columns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** See what the columns of a CSV file are; no line below their names is read, so its beginning is enough */
        post: operations["listImportColumns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See what an import of a CSV file would do; nothing is written
         * @description Progress is told in bytes of the file. The result is {"lines","good","rows":[{"line","license"}],"rejected_total"}: rows are the first lines as they would be read, where license is null of one that is rejected. Lines that are rejected come before the result, in parts {"faults":[[{"parameter","reason","code","args"},…],…],"lines":[[line,why],…]}: why is the place among the faults of the first part; parameter is null where the line as a whole is wrong.
         */
        post: operations["previewImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look for licenses, newest first
         * @description Counts up to 10,000.
         */
        get: operations["listLicenses"];
        put?: never;
        /** Create a license */
        post: operations["createLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{license_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a license */
        get: operations["getLicense"];
        put?: never;
        post?: never;
        /** Delete a license and its activations */
        delete: operations["deleteLicense"];
        options?: never;
        head?: never;
        /** Change what is sent of a license; null clears */
        patch: operations["updateLicense"];
        trace?: never;
    };
    "/licenses/{license_id}/activations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the activations of a license, newest first */
        get: operations["listLicenseActivations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{license_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what has happened to a license, newest first
         * @description What the audit trail tells, activations, and downloads as far as they are remembered.
         */
        get: operations["listLicenseHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{license_id}/reveal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Have the whole key of a license shown, which is recorded */
        post: operations["revealLicenseKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the status or the end of many licenses, all of them or none
         * @description What it answers as previous undoes it, sent as restore. A license is restored that still has what the change gave it: others are kept as they are. With skip_gone, of those that there are still.
         */
        post: operations["changeLicenses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/bulk/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete many licenses and their activations, all of them or none */
        post: operations["deleteLicenses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Take licenses away as CSV, newest first; that it was done is recorded
         * @description A key that begins with = + - @, a tab or a line break gets an apostrophe before it, since a spreadsheet would run it; an import takes that off again.
         */
        get: operations["exportLicenses"];
        put?: never;
        /**
         * Take those of some ids away as CSV, as exportLicenses does; ids that are gone are left out
         * @description A key that begins with = + - @, a tab or a line break gets an apostrophe before it, since a spreadsheet would run it; an import takes that off again.
         */
        post: operations["exportSelectedLicenses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the products that licenses, software and API keys name
         * @description Lowest first; of each source at most the first 200. Those of API keys for who manages them.
         */
        get: operations["listProducts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who has signed in */
        get: operations["getSession"];
        put?: never;
        /** Sign in */
        post: operations["signIn"];
        /** Sign out */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give the password again
         * @description For ten minutes, what was answered 403 `password_needed` is done. Signing in does the same.
         */
        post: operations["confirmSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in with a code, after the password */
        post: operations["showSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where one has signed in, newest first */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /** Sign out everywhere, or everywhere else */
        delete: operations["signOutEverywhere"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Sign out in one browser */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the settings that the server runs with, and where it keeps everything
         * @description Of a secret it is told only whether it is set.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a password by a link, and sign in
         * @description The link of the set-up also takes the name and the address of the first owner.
         */
        post: operations["setUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/setup/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a link is for
         * @description By POST, so that the secret of the link stands in no address.
         */
        post: operations["readSetupLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/software": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List software, newest first */
        get: operations["listSoftware"];
        put?: never;
        /** Create software */
        post: operations["createSoftware"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/software/{software_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get software */
        get: operations["getSoftware"];
        put?: never;
        post?: never;
        /** Delete software, its releases and their files */
        delete: operations["deleteSoftware"];
        options?: never;
        head?: never;
        /** Change what is sent of software */
        patch: operations["updateSoftware"];
        trace?: never;
    };
    "/software/{software_id}/downloads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count downloads by day and by release
         * @description The last 30 days (UTC) where no others are asked for, at most two years.
         */
        get: operations["countDownloads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/software/{software_id}/releases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the releases of software, highest version first */
        get: operations["listReleases"];
        put?: never;
        /**
         * Create a release and upload its file
         * @description Published at once, if not sent as a draft. Only a draft may do without a file.
         */
        post: operations["createRelease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/software/{software_id}/releases/{release_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a release and its file
         * @description To withdraw one and keep its record, set its status to yanked.
         */
        delete: operations["deleteRelease"];
        options?: never;
        head?: never;
        /** Change what is sent of a release; a file takes the place of the one before */
        patch: operations["updateRelease"];
        trace?: never;
    };
    "/software/{software_id}/releases/{release_id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the file of a release, whatever its status; it is not counted */
        get: operations["downloadRelease"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/software/{software_id}/releases/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See whether a release could be created, before its file is sent; nothing is written
         * @description Browsers read no answer before they have sent a whole file.
         */
        post: operations["checkRelease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who may sign in, oldest first */
        get: operations["listUsers"];
        put?: never;
        /** Create a user, who sets a password by a link */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change name, address or role, disable or enable */
        patch: operations["updateUser"];
        trace?: never;
    };
    "/users/{id}/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new link to set a password
         * @description For who has one it also switches the second factor off. Links before are good no more.
         */
        post: operations["inviteUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Switch the second factor of a user off */
        delete: operations["removeTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Failure: {
            code: string;
            data: {
                /** @description What is wrong, by parameter, in English */
                params?: {
                    [key: string]: string;
                };
                reason?: {
                    args: {
                        [key: string]: unknown;
                    };
                    code: string;
                };
                /** @description The same as codes */
                reasons?: {
                    [key: string]: {
                        args: {
                            [key: string]: unknown;
                        };
                        code: string;
                    };
                };
                status: number;
            };
            /** @description In English */
            message: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        recovery_codes_left: number;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email?: string;
                    /** @description How others see the user */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description To be sent as x-csrf-token with whatever is no GET */
                        csrf_token: string;
                        permissions: ("records.read" | "licenses.reveal" | "licenses.keys" | "licenses.write" | "licenses.delete" | "licenses.generate" | "licenses.import" | "activations.delete" | "generators.write" | "generators.delete" | "software.write" | "software.delete" | "api_keys.manage" | "audit.read" | "settings.read" | "users.manage")[];
                        /** @enum {boolean} */
                        signed_in: true;
                        user: {
                            email: string;
                            id: number;
                            name: string;
                            /** @enum {string} */
                            role: "owner" | "manager" | "support" | "viewer";
                            /** @description Whether a second factor is asked for */
                            totp: boolean;
                        };
                        version: string;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    current_password: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    replaceRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        recovery_codes: string[];
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    beginTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description otpauth://…, for a QR code */
                        address: string;
                        /** @description Base32, for who types it */
                        secret: string;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    removeOwnTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    confirmTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of the authenticator, or a recovery code */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        recovery_codes: string[];
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listActivations: {
        parameters: {
            query?: {
                /** @description The whole address */
                address?: string;
                /** @description The `next` of the page before */
                before?: number | string;
                /** @description How the label begins, in any case */
                label?: string;
                license_id?: number | string;
                /** @description Records on a page; 50 when not sent */
                limit?: number | string;
                software_id?: number | string;
                /** @description all when not sent */
                state?: "valid" | "deactivated" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            created_at: string;
                            deactivated_at: string | null;
                            id: number;
                            ip_address: string | null;
                            is_masked: boolean;
                            label: string | null;
                            license_id: number;
                            license_key: string;
                            meta: {
                                [key: string]: unknown;
                            } | null;
                            software_id: number | null;
                            software_name: string | null;
                            source: number;
                            updated_at: string | null;
                            user_agent: string | null;
                        }[];
                        next: number | null;
                        total: number | null;
                        total_is_more: boolean;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteActivation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                activation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deactivateActivation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                activation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        created_at: string;
                        deactivated_at: string | null;
                        id: number;
                        ip_address: string | null;
                        is_masked: boolean;
                        label: string | null;
                        license_id: number;
                        license_key: string;
                        meta: {
                            [key: string]: unknown;
                        } | null;
                        software_id: number | null;
                        software_name: string | null;
                        source: number;
                        updated_at: string | null;
                        user_agent: string | null;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    reactivateActivation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                activation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        created_at: string;
                        deactivated_at: string | null;
                        id: number;
                        ip_address: string | null;
                        is_masked: boolean;
                        label: string | null;
                        license_id: number;
                        license_key: string;
                        meta: {
                            [key: string]: unknown;
                        } | null;
                        software_id: number | null;
                        software_name: string | null;
                        source: number;
                        updated_at: string | null;
                        user_agent: string | null;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        api_root: string;
                        client_endpoints: ("licenses.list" | "licenses.get" | "licenses.create" | "licenses.update" | "licenses.delete" | "licenses.activate" | "licenses.deactivate" | "licenses.validate" | "generators.list" | "generators.get" | "generators.create" | "generators.update" | "generators.delete" | "generators.generate" | "software.list" | "software.read" | "software.create" | "software.update" | "software.delete" | "software.download" | "releases.list" | "releases.create" | "releases.update" | "releases.delete" | "downloads.list" | "audit.list" | "audit.counts")[];
                        endpoints: ("licenses.list" | "licenses.get" | "licenses.create" | "licenses.update" | "licenses.delete" | "licenses.activate" | "licenses.deactivate" | "licenses.validate" | "generators.list" | "generators.get" | "generators.create" | "generators.update" | "generators.delete" | "generators.generate" | "software.list" | "software.read" | "software.create" | "software.update" | "software.delete" | "software.download" | "releases.list" | "releases.create" | "releases.update" | "releases.delete" | "downloads.list" | "audit.list" | "audit.counts")[];
                        items: {
                            created_at: string;
                            description: string;
                            endpoints: ("licenses.list" | "licenses.get" | "licenses.create" | "licenses.update" | "licenses.delete" | "licenses.activate" | "licenses.deactivate" | "licenses.validate" | "generators.list" | "generators.get" | "generators.create" | "generators.update" | "generators.delete" | "generators.generate" | "software.list" | "software.read" | "software.create" | "software.update" | "software.delete" | "software.download" | "releases.list" | "releases.create" | "releases.update" | "releases.delete" | "downloads.list" | "audit.list" | "audit.counts")[] | null;
                            expires_at: string | null;
                            id: number;
                            is_of_settings: boolean;
                            key_ending: string;
                            last_access_at: string | null;
                            /** @enum {unknown} */
                            permission: "read" | "write" | "read_write";
                            products: number[] | null;
                            revoked_at: string | null;
                            user_id: number;
                            user_name: string | null;
                        }[];
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What it is for */
                    description?: string;
                    /** @description Only these may be called; all when not sent */
                    endpoints?: ("licenses.list" | "licenses.get" | "licenses.create" | "licenses.update" | "licenses.delete" | "licenses.activate" | "licenses.deactivate" | "licenses.validate" | "generators.list" | "generators.get" | "generators.create" | "generators.update" | "generators.delete" | "generators.generate" | "software.list" | "software.read" | "software.create" | "software.update" | "software.delete" | "software.download" | "releases.list" | "releases.create" | "releases.update" | "releases.delete" | "downloads.list" | "audit.list" | "audit.counts")[];
                    /**
                     * @description YYYY-MM-DD HH:MM:SS or YYYY-MM-DD in UTC, or RFC 3339
                     * @example 2031-02-03 04:05:06
                     */
                    expires_at?: string;
                    /**
                     * @description read_write when not sent
                     * @enum {string}
                     */
                    permission?: "read" | "write" | "read_write";
                    /** @description Only licenses and software of these; all when not sent */
                    products?: (number | string)[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        api_key: {
                            created_at: string;
                            description: string;
                            endpoints: ("licenses.list" | "licenses.get" | "licenses.create" | "licenses.update" | "licenses.delete" | "licenses.activate" | "licenses.deactivate" | "licenses.validate" | "generators.list" | "generators.get" | "generators.create" | "generators.update" | "generators.delete" | "generators.generate" | "software.list" | "software.read" | "software.create" | "software.update" | "software.delete" | "software.download" | "releases.list" | "releases.create" | "releases.update" | "releases.delete" | "downloads.list" | "audit.list" | "audit.counts")[] | null;
                            expires_at: string | null;
                            id: number;
                            is_of_settings: boolean;
                            key_ending: string;
                            last_access_at: string | null;
                            /** @enum {unknown} */
                            permission: "read" | "write" | "read_write";
                            products: number[] | null;
                            revoked_at: string | null;
                            user_id: number;
                            user_name: string | null;
                        };
                        consumer_key: string;
                        consumer_secret: string;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        created_at: string;
                        description: string;
                        endpoints: ("licenses.list" | "licenses.get" | "licenses.create" | "licenses.update" | "licenses.delete" | "licenses.activate" | "licenses.deactivate" | "licenses.validate" | "generators.list" | "generators.get" | "generators.create" | "generators.update" | "generators.delete" | "generators.generate" | "software.list" | "software.read" | "software.create" | "software.update" | "software.delete" | "software.download" | "releases.list" | "releases.create" | "releases.update" | "releases.delete" | "downloads.list" | "audit.list" | "audit.counts")[] | null;
                        expires_at: string | null;
                        id: number;
                        is_of_settings: boolean;
                        key_ending: string;
                        last_access_at: string | null;
                        /** @enum {unknown} */
                        permission: "read" | "write" | "read_write";
                        products: number[] | null;
                        revoked_at: string | null;
                        user_id: number;
                        user_name: string | null;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What it is for */
                    description?: string;
                    /** @description Only these may be called; all when not sent */
                    endpoints?: ("licenses.list" | "licenses.get" | "licenses.create" | "licenses.update" | "licenses.delete" | "licenses.activate" | "licenses.deactivate" | "licenses.validate" | "generators.list" | "generators.get" | "generators.create" | "generators.update" | "generators.delete" | "generators.generate" | "software.list" | "software.read" | "software.create" | "software.update" | "software.delete" | "software.download" | "releases.list" | "releases.create" | "releases.update" | "releases.delete" | "downloads.list" | "audit.list" | "audit.counts")[];
                    /**
                     * @description YYYY-MM-DD HH:MM:SS or YYYY-MM-DD in UTC, or RFC 3339
                     * @example 2031-02-03 04:05:06
                     */
                    expires_at?: string;
                    /**
                     * @description read_write when not sent
                     * @enum {string}
                     */
                    permission?: "read" | "write" | "read_write";
                    /** @description Only licenses and software of these; all when not sent */
                    products?: (number | string)[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        created_at: string;
                        description: string;
                        endpoints: ("licenses.list" | "licenses.get" | "licenses.create" | "licenses.update" | "licenses.delete" | "licenses.activate" | "licenses.deactivate" | "licenses.validate" | "generators.list" | "generators.get" | "generators.create" | "generators.update" | "generators.delete" | "generators.generate" | "software.list" | "software.read" | "software.create" | "software.update" | "software.delete" | "software.download" | "releases.list" | "releases.create" | "releases.update" | "releases.delete" | "downloads.list" | "audit.list" | "audit.counts")[] | null;
                        expires_at: string | null;
                        id: number;
                        is_of_settings: boolean;
                        key_ending: string;
                        last_access_at: string | null;
                        /** @enum {unknown} */
                        permission: "read" | "write" | "read_write";
                        products: number[] | null;
                        revoked_at: string | null;
                        user_id: number;
                        user_name: string | null;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example 7d */
                    grace?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        api_key: {
                            created_at: string;
                            description: string;
                            endpoints: ("licenses.list" | "licenses.get" | "licenses.create" | "licenses.update" | "licenses.delete" | "licenses.activate" | "licenses.deactivate" | "licenses.validate" | "generators.list" | "generators.get" | "generators.create" | "generators.update" | "generators.delete" | "generators.generate" | "software.list" | "software.read" | "software.create" | "software.update" | "software.delete" | "software.download" | "releases.list" | "releases.create" | "releases.update" | "releases.delete" | "downloads.list" | "audit.list" | "audit.counts")[] | null;
                            expires_at: string | null;
                            id: number;
                            is_of_settings: boolean;
                            key_ending: string;
                            last_access_at: string | null;
                            /** @enum {unknown} */
                            permission: "read" | "write" | "read_write";
                            products: number[] | null;
                            revoked_at: string | null;
                            user_id: number;
                            user_name: string | null;
                        };
                        consumer_key: string;
                        consumer_secret: string;
                        replaced: {
                            created_at: string;
                            description: string;
                            endpoints: ("licenses.list" | "licenses.get" | "licenses.create" | "licenses.update" | "licenses.delete" | "licenses.activate" | "licenses.deactivate" | "licenses.validate" | "generators.list" | "generators.get" | "generators.create" | "generators.update" | "generators.delete" | "generators.generate" | "software.list" | "software.read" | "software.create" | "software.update" | "software.delete" | "software.download" | "releases.list" | "releases.create" | "releases.update" | "releases.delete" | "downloads.list" | "audit.list" | "audit.counts")[] | null;
                            expires_at: string | null;
                            id: number;
                            is_of_settings: boolean;
                            key_ending: string;
                            last_access_at: string | null;
                            /** @enum {unknown} */
                            permission: "read" | "write" | "read_write";
                            products: number[] | null;
                            revoked_at: string | null;
                            user_id: number;
                            user_name: string | null;
                        };
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                action?: ("activation.deactivate" | "activation.reactivate" | "activation.delete" | "api_key.create" | "api_key.replace_secret" | "api_key.revoke" | "api_key.rotate" | "api_key.update" | "generator.create" | "generator.update" | "generator.delete" | "license.create" | "license.update" | "license.delete" | "license.export" | "license.generate" | "license.import" | "license.reveal" | "master_key.rotate" | "master_key.retire" | "release.create" | "release.update" | "release.delete" | "session.create" | "session.end" | "software.create" | "software.update" | "software.delete" | "user.create" | "user.update" | "user.invite" | "user.password" | "user.totp" | "user.recovery_codes") | ("activation.deactivate" | "activation.reactivate" | "activation.delete" | "api_key.create" | "api_key.replace_secret" | "api_key.revoke" | "api_key.rotate" | "api_key.update" | "generator.create" | "generator.update" | "generator.delete" | "license.create" | "license.update" | "license.delete" | "license.export" | "license.generate" | "license.import" | "license.reveal" | "master_key.rotate" | "master_key.retire" | "release.create" | "release.update" | "release.delete" | "session.create" | "session.end" | "software.create" | "software.update" | "software.delete" | "user.create" | "user.update" | "user.invite" | "user.password" | "user.totp" | "user.recovery_codes")[];
                api_key_id?: number | string;
                /** @description The `next` of the page before */
                before?: number | string;
                /**
                 * @description YYYY-MM-DD HH:MM:SS or YYYY-MM-DD in UTC, or RFC 3339
                 * @example 2031-02-03 04:05:06
                 */
                from?: string;
                /** @description Records on a page; 50 when not sent */
                limit?: number | string;
                /**
                 * @description Of one record, by its kind and id
                 * @example license:12
                 */
                subject?: string;
                /**
                 * @description YYYY-MM-DD HH:MM:SS or YYYY-MM-DD in UTC, or RFC 3339
                 * @example 2031-02-03 04:05:06
                 */
                to?: string;
                user_id?: number | string;
                via?: "api" | "cli" | "console" | "system";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        head: string | null;
                        items: {
                            about: {
                                [key: string]: unknown;
                            } | null;
                            /** @enum {unknown} */
                            action: "activation.deactivate" | "activation.reactivate" | "activation.delete" | "api_key.create" | "api_key.replace_secret" | "api_key.revoke" | "api_key.rotate" | "api_key.update" | "generator.create" | "generator.update" | "generator.delete" | "license.create" | "license.update" | "license.delete" | "license.export" | "license.generate" | "license.import" | "license.reveal" | "master_key.rotate" | "master_key.retire" | "release.create" | "release.update" | "release.delete" | "session.create" | "session.end" | "software.create" | "software.update" | "software.delete" | "user.create" | "user.update" | "user.invite" | "user.password" | "user.totp" | "user.recovery_codes";
                            after: {
                                [key: string]: unknown;
                            } | null;
                            api_key_description: string | null;
                            api_key_id: number | null;
                            at: string;
                            before: {
                                [key: string]: unknown;
                            } | null;
                            id: number;
                            origin: string | null;
                            subject_id: number | null;
                            subject_name: string | null;
                            /** @enum {unknown} */
                            subject_type: "api_key" | "generator" | "license" | "master_key" | "release" | "software" | "user";
                            user_id: number;
                            user_name: string | null;
                            /** @enum {unknown} */
                            via: "api" | "cli" | "console" | "system";
                        }[];
                        next: number | null;
                        total: number | null;
                        total_is_more: boolean;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listAuditUsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            id: number;
                            name: string;
                        }[];
                        next: number | null;
                        total: number | null;
                        total_is_more: boolean;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getDashboard: {
        parameters: {
            query?: {
                /** @description Days up to today; 30 when not sent */
                days?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        api_root: string;
                        counted_at: string;
                        days: {
                            activations: number;
                            /** @description YYYY-MM-DD, UTC */
                            day: string;
                            deactivations: number;
                            downloads: number;
                            /** @description Made on it, and still there */
                            licenses: number;
                            validations: number;
                        }[];
                        events: {
                            /** @enum {unknown} */
                            action: "activation.deactivate" | "activation.reactivate" | "activation.delete" | "api_key.create" | "api_key.replace_secret" | "api_key.revoke" | "api_key.rotate" | "api_key.update" | "generator.create" | "generator.update" | "generator.delete" | "license.create" | "license.update" | "license.delete" | "license.export" | "license.generate" | "license.import" | "license.reveal" | "master_key.rotate" | "master_key.retire" | "release.create" | "release.update" | "release.delete" | "session.create" | "session.end" | "software.create" | "software.update" | "software.delete" | "user.create" | "user.update" | "user.invite" | "user.password" | "user.totp" | "user.recovery_codes";
                            at: string;
                            id: number;
                            software_id: number | null;
                            subject_id: number | null;
                            subject_name: string | null;
                            /** @enum {unknown} */
                            subject_type: "api_key" | "generator" | "license" | "master_key" | "release" | "software" | "user";
                            user_name: string | null;
                        }[];
                        expiring: {
                            items: {
                                expires_at: string;
                                id: number;
                                /** @description Its end */
                                license_key: string;
                                order_id: number | null;
                                product_id: number | null;
                                status: number;
                                times_activated: number;
                                user_id: number | null;
                            }[];
                            total: number;
                            total_is_more: boolean;
                            within_days: number;
                        };
                        totals: {
                            by_status: {
                                licenses: number;
                                status: number;
                            }[];
                            generators: number;
                            licenses: number;
                            software: number;
                        };
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    createGenerator: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description For generated licenses; 0 means no limit */
                    activations_limit?: number | string;
                    /** @description A repeated character counts once */
                    charset: string;
                    /** @description Characters per chunk */
                    chunk_length: number | string;
                    chunks: number | string;
                    /** @description Days until a generated license expires; 0 means never */
                    expires_in?: number | string;
                    name: string;
                    prefix?: string;
                    /** @description Between chunks */
                    separator?: string;
                    suffix?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
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
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getGenerator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                generator_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
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
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteGenerator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                generator_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    updateGenerator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                generator_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description For generated licenses; 0 means no limit */
                    activations_limit?: number | string;
                    /** @description A repeated character counts once */
                    charset?: string;
                    /** @description Characters per chunk */
                    chunk_length?: number | string;
                    chunks?: number | string;
                    /** @description Days until a generated license expires; 0 means never */
                    expires_in?: number | string;
                    name?: string;
                    prefix?: string;
                    /** @description Between chunks */
                    separator?: string;
                    suffix?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
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
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    generateKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                generator_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    amount: number | string;
                    order_id?: number | string;
                    product_id?: number | string;
                    /** @enum {boolean|integer|string} */
                    save?: true | false | 1 | 0 | "1" | "0" | "true" | "false" | "yes" | "no" | "";
                    /**
                     * @description 1 (sold), 2 (delivered), 3 (active), 4 (inactive), 5 (disabled)
                     * @example 3
                     * @example active
                     */
                    status?: number | string;
                    user_id?: number | string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    previewGenerator: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A repeated character counts once */
                    charset: string;
                    /** @description Characters per chunk */
                    chunk_length: number | string;
                    chunks: number | string;
                    prefix?: string;
                    /** @description Between chunks */
                    separator?: string;
                    suffix?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        entropy_bits: number;
                        examples: string[];
                        possible: string;
                        warnings: {
                            characters: string;
                            kind: "look_alikes" | "repeated" | "white_space" | "guessable";
                        }[];
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    importLicenses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description JSON: values for what lines leave empty, by parameter */
                    defaults?: string;
                    /** @description Between cells; what the first line has most of when not sent */
                    delimiter?: string;
                    /**
                     * Format: binary
                     * @description CSV in UTF-8; after all other fields
                     */
                    file: string;
                    /** @description JSON: the parameter of each column by its name, of license_key, valid_for, status, activations_limit, order_id, product_id, user_id, expires_at, or ''; guessed when not sent */
                    mapping?: string;
                    /** @enum {boolean|integer|string} */
                    skip_bad?: true | false | 1 | 0 | "1" | "0" | "true" | "false" | "yes" | "no" | "";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listImportColumns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description JSON: values for what lines leave empty, by parameter */
                    defaults?: string;
                    /** @description Between cells; what the first line has most of when not sent */
                    delimiter?: string;
                    /**
                     * Format: binary
                     * @description CSV in UTF-8; after all other fields
                     */
                    file: string;
                    /** @description JSON: the parameter of each column by its name, of license_key, valid_for, status, activations_limit, order_id, product_id, user_id, expires_at, or ''; guessed when not sent */
                    mapping?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        columns: {
                            name: string;
                            parameter: string | null;
                        }[];
                        delimiter: string;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    previewImport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description JSON: values for what lines leave empty, by parameter */
                    defaults?: string;
                    /** @description Between cells; what the first line has most of when not sent */
                    delimiter?: string;
                    /**
                     * Format: binary
                     * @description CSV in UTF-8; after all other fields
                     */
                    file: string;
                    /** @description JSON: the parameter of each column by its name, of license_key, valid_for, status, activations_limit, order_id, product_id, user_id, expires_at, or ''; guessed when not sent */
                    mapping?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listLicenses: {
        parameters: {
            query?: {
                /** @description The `next` of the page before */
                before?: number | string;
                /**
                 * @description YYYY-MM-DD HH:MM:SS or YYYY-MM-DD in UTC, or RFC 3339
                 * @example 2031-02-03 04:05:06
                 */
                expires_before?: string;
                /**
                 * @description YYYY-MM-DD HH:MM:SS or YYYY-MM-DD in UTC, or RFC 3339
                 * @example 2031-02-03 04:05:06
                 */
                expires_from?: string;
                expiry?: "expired" | "soon" | "never";
                /** @description Only these licenses */
                ids?: (number | string)[];
                /** @description Records on a page; 50 when not sent */
                limit?: number | string;
                order_id?: number | string;
                product_id?: number | string;
                /** @description A whole key, its last 4 to 12 characters, an order, product or customer, the beginning of a label, an address. The prefixes `order:`, `product:`, `customer:`, `ending:`, `label:` and `ip:` select one of these */
                search?: string;
                /** @description Days that count as soon; 30 when not sent */
                soon?: number | string;
                source?: number | string;
                status?: (number | string) | (number | string)[];
                user_id?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        is_cut: boolean;
                        items: {
                            activations_limit: number;
                            created_at: string;
                            created_by: number;
                            expires_at: string | null;
                            id: number;
                            is_expired: boolean;
                            is_masked: boolean;
                            license_key: string;
                            order_id: number | null;
                            product_id: number | null;
                            source: number;
                            status: number;
                            times_activated: number;
                            updated_at: string | null;
                            updated_by: number | null;
                            user_id: number | null;
                            valid_for: number;
                        }[];
                        matched: ("key" | "ending" | "order" | "product" | "customer" | "label" | "address")[];
                        next: number | null;
                        total: number | null;
                        total_is_more: boolean;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    createLicense: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description 0 means no limit */
                    activations_limit?: number | string;
                    /**
                     * @description YYYY-MM-DD HH:MM:SS or YYYY-MM-DD in UTC, or RFC 3339
                     * @example 2031-02-03 04:05:06
                     */
                    expires_at?: string;
                    /** @description Draws the key where none is sent */
                    generator_id?: number | string;
                    /** @description Kept as sent, compared exactly. Must not be only white space, nor begin with "hashed-". */
                    license_key?: string;
                    order_id?: number | string;
                    product_id?: number | string;
                    /**
                     * @description 1 (sold), 2 (delivered), 3 (active), 4 (inactive), 5 (disabled)
                     * @example 3
                     * @example active
                     */
                    status: number | string;
                    user_id?: number | string;
                    /** @description Days */
                    valid_for?: number | string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        activations_limit: number;
                        created_at: string;
                        created_by: number;
                        expires_at: string | null;
                        id: number;
                        is_expired: boolean;
                        is_masked: boolean;
                        license_key: string;
                        order_id: number | null;
                        product_id: number | null;
                        source: number;
                        status: number;
                        times_activated: number;
                        updated_at: string | null;
                        updated_by: number | null;
                        user_id: number | null;
                        valid_for: number;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getLicense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                license_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        activations_limit: number;
                        created_at: string;
                        created_by: number;
                        expires_at: string | null;
                        id: number;
                        is_expired: boolean;
                        is_masked: boolean;
                        license_key: string;
                        order_id: number | null;
                        product_id: number | null;
                        source: number;
                        status: number;
                        times_activated: number;
                        updated_at: string | null;
                        updated_by: number | null;
                        user_id: number | null;
                        valid_for: number;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteLicense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                license_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    updateLicense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                license_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description 0 means no limit */
                    activations_limit?: number | string;
                    /**
                     * @description YYYY-MM-DD HH:MM:SS or YYYY-MM-DD in UTC, or RFC 3339
                     * @example 2031-02-03 04:05:06
                     */
                    expires_at?: string;
                    /** @description Kept as sent, compared exactly. Must not be only white space, nor begin with "hashed-". */
                    license_key?: string;
                    order_id?: number | string;
                    product_id?: number | string;
                    /**
                     * @description 1 (sold), 2 (delivered), 3 (active), 4 (inactive), 5 (disabled)
                     * @example 3
                     * @example active
                     */
                    status?: number | string;
                    user_id?: number | string;
                    /** @description Days */
                    valid_for?: number | string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        activations_limit: number;
                        created_at: string;
                        created_by: number;
                        expires_at: string | null;
                        id: number;
                        is_expired: boolean;
                        is_masked: boolean;
                        license_key: string;
                        order_id: number | null;
                        product_id: number | null;
                        source: number;
                        status: number;
                        times_activated: number;
                        updated_at: string | null;
                        updated_by: number | null;
                        user_id: number | null;
                        valid_for: number;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listLicenseActivations: {
        parameters: {
            query?: {
                /** @description The `next` of the page before */
                before?: number | string;
                /** @description Records on a page; 50 when not sent */
                limit?: number | string;
                /** @description all when not sent */
                state?: "valid" | "deactivated" | "all";
            };
            header?: never;
            path: {
                license_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            created_at: string;
                            deactivated_at: string | null;
                            id: number;
                            ip_address: string | null;
                            is_masked: boolean;
                            label: string | null;
                            license_id: number;
                            license_key: string;
                            meta: {
                                [key: string]: unknown;
                            } | null;
                            software_id: number | null;
                            software_name: string | null;
                            source: number;
                            updated_at: string | null;
                            user_agent: string | null;
                        }[];
                        next: number | null;
                        total: number | null;
                        total_is_more: boolean;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listLicenseHistory: {
        parameters: {
            query?: {
                /** @description The `next` of the page before */
                before?: string;
                /** @description Records on a page; 50 when not sent */
                limit?: number | string;
            };
            header?: never;
            path: {
                license_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            about: {
                                [key: string]: unknown;
                            } | null;
                            /** @enum {unknown} */
                            action: "activation.deactivate" | "activation.reactivate" | "activation.delete" | "api_key.create" | "api_key.replace_secret" | "api_key.revoke" | "api_key.rotate" | "api_key.update" | "generator.create" | "generator.update" | "generator.delete" | "license.create" | "license.update" | "license.delete" | "license.export" | "license.generate" | "license.import" | "license.reveal" | "master_key.rotate" | "master_key.retire" | "release.create" | "release.update" | "release.delete" | "session.create" | "session.end" | "software.create" | "software.update" | "software.delete" | "user.create" | "user.update" | "user.invite" | "user.password" | "user.totp" | "user.recovery_codes" | "activation.create" | "download.create";
                            activation: {
                                id: number;
                                ip_address: string | null;
                                label: string | null;
                            } | null;
                            after: {
                                [key: string]: unknown;
                            } | null;
                            api_key_description: string | null;
                            api_key_id: number | null;
                            at: string;
                            before: {
                                [key: string]: unknown;
                            } | null;
                            origin: string | null;
                            software_name: string | null;
                            user_id: number | null;
                            user_name: string | null;
                            version: string | null;
                            via: ("api" | "cli" | "console" | "system") | null;
                        }[];
                        next: string | null;
                        total: number | null;
                        total_is_more: boolean;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    revealLicenseKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                license_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        license_key: string;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    changeLicenses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description As a time of the API, or "never"
                     * @example 2031-02-03 04:05:06
                     */
                    expires_at?: string;
                    /** @description Days by which they expire later */
                    extend_days?: number | string;
                    /** @description Ids of licenses */
                    ids?: (number | string)[];
                    /** @description What an earlier change answered as `previous` */
                    restore?: {
                        expires_at: string | null;
                        id: number;
                        set_expires_at: string | null;
                        set_status: number;
                        status: number;
                    }[];
                    /** @enum {boolean|integer|string} */
                    skip_gone?: true | false | 1 | 0 | "1" | "0" | "true" | "false" | "yes" | "no" | "";
                    /**
                     * @description 1 (sold), 2 (delivered), 3 (active), 4 (inactive), 5 (disabled)
                     * @example 3
                     * @example active
                     */
                    status?: number | string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        gone: number[];
                        kept: number[];
                        previous: {
                            expires_at: string | null;
                            id: number;
                            set_expires_at: string | null;
                            set_status: number;
                            status: number;
                        }[];
                        unchanged: number[];
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteLicenses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Ids of licenses */
                    ids: (number | string)[];
                    /** @enum {boolean|integer|string} */
                    skip_gone?: true | false | 1 | 0 | "1" | "0" | "true" | "false" | "yes" | "no" | "";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        gone: number[];
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    exportLicenses: {
        parameters: {
            query?: {
                /** @description Columns in their order; all when not sent */
                columns?: ("license_key" | "id" | "order_id" | "product_id" | "user_id" | "expires_at" | "valid_for" | "source" | "status" | "times_activated" | "activations_limit" | "is_expired" | "created_at" | "created_by" | "updated_at" | "updated_by")[];
                /**
                 * @description YYYY-MM-DD HH:MM:SS or YYYY-MM-DD in UTC, or RFC 3339
                 * @example 2031-02-03 04:05:06
                 */
                expires_before?: string;
                /**
                 * @description YYYY-MM-DD HH:MM:SS or YYYY-MM-DD in UTC, or RFC 3339
                 * @example 2031-02-03 04:05:06
                 */
                expires_from?: string;
                expiry?: "expired" | "soon" | "never";
                /** @description Only these licenses */
                ids?: (number | string)[];
                order_id?: number | string;
                product_id?: number | string;
                /** @description A whole key, its last 4 to 12 characters, an order, product or customer, the beginning of a label, an address. The prefixes `order:`, `product:`, `customer:`, `ending:`, `label:` and `ip:` select one of these */
                search?: string;
                /** @description Days that count as soon; 30 when not sent */
                soon?: number | string;
                source?: number | string;
                status?: (number | string) | (number | string)[];
                user_id?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    exportSelectedLicenses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Columns in their order; all when not sent */
                    columns?: ("license_key" | "id" | "order_id" | "product_id" | "user_id" | "expires_at" | "valid_for" | "source" | "status" | "times_activated" | "activations_limit" | "is_expired" | "created_at" | "created_by" | "updated_at" | "updated_by")[];
                    /** @description Ids of licenses */
                    ids: (number | string)[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listProducts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        is_more: boolean;
                        items: {
                            id: number;
                            names: string[];
                            sources: ("licenses" | "software" | "api_keys")[];
                        }[];
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description To be sent as x-csrf-token with whatever is no GET */
                        csrf_token: string;
                        permissions: ("records.read" | "licenses.reveal" | "licenses.keys" | "licenses.write" | "licenses.delete" | "licenses.generate" | "licenses.import" | "activations.delete" | "generators.write" | "generators.delete" | "software.write" | "software.delete" | "api_keys.manage" | "audit.read" | "settings.read" | "users.manage")[];
                        /** @enum {boolean} */
                        signed_in: true;
                        user: {
                            email: string;
                            id: number;
                            name: string;
                            /** @enum {string} */
                            role: "owner" | "manager" | "support" | "viewer";
                            /** @description Whether a second factor is asked for */
                            totp: boolean;
                        };
                        version: string;
                    } | {
                        /** @description The password was right, and the second factor is waited for */
                        second_factor: boolean;
                        /** @description There is no owner yet who can sign in: a start prints a link */
                        setup_needed: boolean;
                        /** @enum {boolean} */
                        signed_in: false;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A second factor is to be shown */
                        second_factor: boolean;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    confirmSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    showSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of the authenticator, or a recovery code */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description To be sent as x-csrf-token with whatever is no GET */
                        csrf_token: string;
                        permissions: ("records.read" | "licenses.reveal" | "licenses.keys" | "licenses.write" | "licenses.delete" | "licenses.generate" | "licenses.import" | "activations.delete" | "generators.write" | "generators.delete" | "software.write" | "software.delete" | "api_keys.manage" | "audit.read" | "settings.read" | "users.manage")[];
                        /** @enum {boolean} */
                        signed_in: true;
                        user: {
                            email: string;
                            id: number;
                            name: string;
                            /** @enum {string} */
                            role: "owner" | "manager" | "support" | "viewer";
                            /** @description Whether a second factor is asked for */
                            totp: boolean;
                        };
                        version: string;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            created_at: string;
                            /** @description The one of this request */
                            current: boolean;
                            expires_at: string;
                            id: number;
                            ip_address: string | null;
                            /** @description To some minutes */
                            last_seen_at: string;
                            second_factor: boolean;
                            user_agent: string | null;
                        }[];
                        next: number | null;
                        total: number | null;
                        total_is_more: boolean;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    signOutEverywhere: {
        parameters: {
            query?: {
                others?: true | false | 1 | 0 | "1" | "0" | "true" | "false" | "yes" | "no" | "";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ended: number;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ended: number;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        backups: {
                            /** @description 0 where the server makes none */
                            every_hours: number;
                            folder: string;
                            newest: {
                                begun_at: string;
                                bytes: number;
                            } | null;
                            problem: string | null;
                        };
                        database: {
                            kind: "sqlite" | "postgres";
                            /** @description The folder, or the address without user and password */
                            place: string;
                        };
                        health: {
                            amount: number | null;
                            /** @enum {unknown} */
                            check: "database" | "disk" | "backups" | "audit";
                            is_good: boolean;
                        }[];
                        master_key: {
                            fingerprint: string;
                            is_file: boolean;
                            /** @description How many there were before it */
                            retired: number;
                            rotation_begun_at: string | null;
                        };
                        processes: number;
                        /** @description The version of Node.js */
                        runtime: string;
                        schema: string;
                        settings: {
                            /** @description The default, in words */
                            fallback: string;
                            flag: string;
                            is_secret: boolean;
                            /** @description Whether a flag or a variable gave it */
                            is_set: boolean;
                            meaning: string;
                            value: string | null;
                            variable: string;
                        }[];
                        /** @description Of the process that answers */
                        started_at: string;
                        storage: {
                            kind: "folder" | "bucket";
                            /** @description The data directory, or the name of the bucket */
                            place: string;
                        };
                        version: string;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    setUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email?: string;
                    /** @description How others see the user */
                    name?: string;
                    password: string;
                    /** @description What stands behind the # of the link */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description To be sent as x-csrf-token with whatever is no GET */
                        csrf_token: string;
                        permissions: ("records.read" | "licenses.reveal" | "licenses.keys" | "licenses.write" | "licenses.delete" | "licenses.generate" | "licenses.import" | "activations.delete" | "generators.write" | "generators.delete" | "software.write" | "software.delete" | "api_keys.manage" | "audit.read" | "settings.read" | "users.manage")[];
                        /** @enum {boolean} */
                        signed_in: true;
                        user: {
                            email: string;
                            id: number;
                            name: string;
                            /** @enum {string} */
                            role: "owner" | "manager" | "support" | "viewer";
                            /** @description Whether a second factor is asked for */
                            totp: boolean;
                        };
                        version: string;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readSetupLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What stands behind the # of the link */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        email: string | null;
                        expires_at: string;
                        name: string | null;
                        /** @enum {string} */
                        purpose: "setup" | "invitation" | "reset";
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listSoftware: {
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
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            access: "licensed" | "public";
                            banners: {
                                [key: string]: string;
                            } | null;
                            created_at: string;
                            icons: {
                                [key: string]: string;
                            } | null;
                            id: number;
                            name: string;
                            product_ids: number[];
                            requires: string | null;
                            requires_php: string | null;
                            slug: string;
                            tested: string | null;
                            type: string;
                            updated_at: string | null;
                            url: string | null;
                        }[];
                        next: number | null;
                        total: number | null;
                        total_is_more: boolean;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    createSoftware: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description licensed (default): only for sites with a good license; public: for everybody
                     * @enum {string}
                     */
                    access?: "licensed" | "public";
                    /**
                     * @description Addresses of pictures by name
                     * @example {
                     *       "1x": "https://example.com/icon-128x128.png"
                     *     }
                     */
                    banners?: {
                        [key: string]: string;
                    };
                    /**
                     * @description Addresses of pictures by name
                     * @example {
                     *       "1x": "https://example.com/icon-128x128.png"
                     *     }
                     */
                    icons?: {
                        [key: string]: string;
                    };
                    name: string;
                    /** @description Products whose licenses cover it; none for all licenses */
                    product_ids?: (number | string)[];
                    /** @description Version of the platform that it needs */
                    requires?: string;
                    /** @description Version of PHP that it needs */
                    requires_php?: string;
                    /** @description Unique; letters, digits, ".", "_" and "-", not digits only. Made from the name when not sent */
                    slug?: string;
                    /** @description Version of the platform that it is tested up to */
                    tested?: string;
                    /** @description Kind of client; wp when not sent */
                    type?: string;
                    /** Format: uri */
                    url?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        access: "licensed" | "public";
                        banners: {
                            [key: string]: string;
                        } | null;
                        created_at: string;
                        icons: {
                            [key: string]: string;
                        } | null;
                        id: number;
                        name: string;
                        product_ids: number[];
                        requires: string | null;
                        requires_php: string | null;
                        slug: string;
                        tested: string | null;
                        type: string;
                        updated_at: string | null;
                        url: string | null;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getSoftware: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                software_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        access: "licensed" | "public";
                        banners: {
                            [key: string]: string;
                        } | null;
                        created_at: string;
                        icons: {
                            [key: string]: string;
                        } | null;
                        id: number;
                        name: string;
                        product_ids: number[];
                        requires: string | null;
                        requires_php: string | null;
                        slug: string;
                        tested: string | null;
                        type: string;
                        updated_at: string | null;
                        url: string | null;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteSoftware: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                software_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    updateSoftware: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                software_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description licensed (default): only for sites with a good license; public: for everybody
                     * @enum {string}
                     */
                    access?: "licensed" | "public";
                    /**
                     * @description Addresses of pictures by name
                     * @example {
                     *       "1x": "https://example.com/icon-128x128.png"
                     *     }
                     */
                    banners?: {
                        [key: string]: string;
                    };
                    /**
                     * @description Addresses of pictures by name
                     * @example {
                     *       "1x": "https://example.com/icon-128x128.png"
                     *     }
                     */
                    icons?: {
                        [key: string]: string;
                    };
                    name?: string;
                    /** @description Products whose licenses cover it; none for all licenses */
                    product_ids?: (number | string)[];
                    /** @description Version of the platform that it needs */
                    requires?: string;
                    /** @description Version of PHP that it needs */
                    requires_php?: string;
                    /** @description Unique; letters, digits, ".", "_" and "-", not digits only. Made from the name when not sent */
                    slug?: string;
                    /** @description Version of the platform that it is tested up to */
                    tested?: string;
                    /** @description Kind of client; wp when not sent */
                    type?: string;
                    /** Format: uri */
                    url?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        access: "licensed" | "public";
                        banners: {
                            [key: string]: string;
                        } | null;
                        created_at: string;
                        icons: {
                            [key: string]: string;
                        } | null;
                        id: number;
                        name: string;
                        product_ids: number[];
                        requires: string | null;
                        requires_php: string | null;
                        slug: string;
                        tested: string | null;
                        type: string;
                        updated_at: string | null;
                        url: string | null;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    countDownloads: {
        parameters: {
            query?: {
                /**
                 * @description YYYY-MM-DD, UTC
                 * @example 2031-02-03
                 */
                from?: string;
                /** @description Only of this release */
                release_id?: number | string;
                /**
                 * @description YYYY-MM-DD, UTC
                 * @example 2031-02-03
                 */
                to?: string;
            };
            header?: never;
            path: {
                software_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        days: {
                            day: string;
                            downloads: number;
                        }[];
                        from: string;
                        releases: {
                            downloads: number;
                            release_id: number;
                            version: string;
                        }[];
                        to: string;
                        total: number;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listReleases: {
        parameters: {
            query?: {
                /**
                 * @description The `next` of the page before: a version
                 * @example 1.4.0
                 */
                before?: string;
                /** @description Only releases of this channel; all when not sent */
                channel?: "stable" | "rc" | "beta" | "alpha";
                /** @description Records on a page; 50 when not sent */
                limit?: number | string;
            };
            header?: never;
            path: {
                software_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            changelog: string | null;
                            /** @enum {unknown} */
                            channel: "stable" | "rc" | "beta" | "alpha";
                            created_at: string;
                            file: {
                                name: string;
                                sha256: string;
                                size: number;
                                type: string;
                            } | null;
                            id: number;
                            published_at: string | null;
                            rollout: number;
                            software_id: number;
                            /** @enum {unknown} */
                            status: "published" | "draft" | "yanked";
                            updated_at: string | null;
                            upgrade_notice: string | null;
                            version: string;
                            yank_reason: string | null;
                        }[];
                        next: string | null;
                        total: number | null;
                        total_is_more: boolean;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    createRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                software_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    changelog?: string;
                    /**
                     * @description stable, rc, beta, alpha; stable when not sent
                     * @enum {string}
                     */
                    channel?: "stable" | "rc" | "beta" | "alpha";
                    /** Format: binary */
                    file?: string;
                    /** @description Percentage of activations that it is offered to; 100 when not sent */
                    rollout?: number | string;
                    /**
                     * @description published, draft, yanked; published when not sent
                     * @enum {string}
                     */
                    status?: "published" | "draft" | "yanked";
                    upgrade_notice?: string;
                    /**
                     * @description SemVer (2.0.0-rc.1) or looser (1.4, 6.8.1.2)
                     * @example 1.4.0
                     */
                    version: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changelog: string | null;
                        /** @enum {unknown} */
                        channel: "stable" | "rc" | "beta" | "alpha";
                        created_at: string;
                        file: {
                            name: string;
                            sha256: string;
                            size: number;
                            type: string;
                        } | null;
                        id: number;
                        published_at: string | null;
                        rollout: number;
                        software_id: number;
                        /** @enum {unknown} */
                        status: "published" | "draft" | "yanked";
                        updated_at: string | null;
                        upgrade_notice: string | null;
                        version: string;
                        yank_reason: string | null;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                release_id: number;
                software_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    updateRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                release_id: number;
                software_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    changelog?: string;
                    /**
                     * @description stable, rc, beta, alpha; stable when not sent
                     * @enum {string}
                     */
                    channel?: "stable" | "rc" | "beta" | "alpha";
                    /** Format: binary */
                    file?: string;
                    /** @description Percentage of activations that it is offered to; 100 when not sent */
                    rollout?: number | string;
                    /**
                     * @description published, draft, yanked; published when not sent
                     * @enum {string}
                     */
                    status?: "published" | "draft" | "yanked";
                    upgrade_notice?: string;
                    /**
                     * @description SemVer (2.0.0-rc.1) or looser (1.4, 6.8.1.2)
                     * @example 1.4.0
                     */
                    version?: string;
                    yank_reason?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changelog: string | null;
                        /** @enum {unknown} */
                        channel: "stable" | "rc" | "beta" | "alpha";
                        created_at: string;
                        file: {
                            name: string;
                            sha256: string;
                            size: number;
                            type: string;
                        } | null;
                        id: number;
                        published_at: string | null;
                        rollout: number;
                        software_id: number;
                        /** @enum {unknown} */
                        status: "published" | "draft" | "yanked";
                        updated_at: string | null;
                        upgrade_notice: string | null;
                        version: string;
                        yank_reason: string | null;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    downloadRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                release_id: number;
                software_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    checkRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                software_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    changelog?: string;
                    /**
                     * @description stable, rc, beta, alpha; stable when not sent
                     * @enum {string}
                     */
                    channel?: "stable" | "rc" | "beta" | "alpha";
                    /** @description Percentage of activations that it is offered to; 100 when not sent */
                    rollout?: number | string;
                    /**
                     * @description published, draft, yanked; published when not sent
                     * @enum {string}
                     */
                    status?: "published" | "draft" | "yanked";
                    upgrade_notice?: string;
                    /**
                     * @description SemVer (2.0.0-rc.1) or looser (1.4, 6.8.1.2)
                     * @example 1.4.0
                     */
                    version: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            created_at: string;
                            disabled_at: string | null;
                            email: string;
                            /** @description False for who has not followed the invitation yet */
                            has_password: boolean;
                            id: number;
                            last_seen_at: string | null;
                            name: string;
                            /** @enum {string} */
                            role: "owner" | "manager" | "support" | "viewer";
                            totp: boolean;
                        }[];
                        next: number | null;
                        total: number | null;
                        total_is_more: boolean;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email: string;
                    /** @description How others see the user */
                    name: string;
                    /** @enum {string} */
                    role: "owner" | "manager" | "support" | "viewer";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        invitation: {
                            expires_at: string;
                            /** @description Shown this once; it sets a password */
                            link: string;
                        };
                        user: {
                            created_at: string;
                            disabled_at: string | null;
                            email: string;
                            /** @description False for who has not followed the invitation yet */
                            has_password: boolean;
                            id: number;
                            last_seen_at: string | null;
                            name: string;
                            /** @enum {string} */
                            role: "owner" | "manager" | "support" | "viewer";
                            totp: boolean;
                        };
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {boolean|integer|string} */
                    disabled?: true | false | 1 | 0 | "1" | "0" | "true" | "false" | "yes" | "no" | "";
                    /** Format: email */
                    email?: string;
                    /** @description How others see the user */
                    name?: string;
                    /** @enum {string} */
                    role?: "owner" | "manager" | "support" | "viewer";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        created_at: string;
                        disabled_at: string | null;
                        email: string;
                        /** @description False for who has not followed the invitation yet */
                        has_password: boolean;
                        id: number;
                        last_seen_at: string | null;
                        name: string;
                        /** @enum {string} */
                        role: "owner" | "manager" | "support" | "viewer";
                        totp: boolean;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    inviteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        expires_at: string;
                        /** @description Shown this once; it sets a password */
                        link: string;
                    };
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    removeTotp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
}
