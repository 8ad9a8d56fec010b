/**
 * Drizzle's template for statements, and the type of its values. Import both from here instead of from `drizzle-orm/sql`: for
 * every module that imports Drizzle, Node parses Drizzle's package.json (180 kB). For our 240 modules, that took a second of
 * the start of a host.
 */
export { SQL, sql } from 'drizzle-orm/sql'
