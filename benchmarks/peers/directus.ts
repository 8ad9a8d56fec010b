/** Runs a command of Directus, without the request for updates that its own program sends. */
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const directus = createRequire(import.meta.url).resolve('directus/package.json')
await import(pathToFileURL(createRequire(directus).resolve('@directus/api/cli/run.js')).href)
