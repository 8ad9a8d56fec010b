/**
 * Importing this module lets SIGINT and SIGTERM end a command, with the exit status of a shell. The first process of a container
 * ignores signals without a handler, and `audit verify`, `doctor` and `migrate up` can take long.
 */
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
