/** Where the console is, below the base path; its API is in `api/` below it. */
export const CONSOLE_PATH = '/console';
