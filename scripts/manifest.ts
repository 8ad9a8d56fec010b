/** Writes the generated files of the elements: `pnpm manifest`. `pnpm check manifest` fails if they are out of date. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generatedFiles } from './manifest/generated-files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

for (const [path, text] of generatedFiles(root)) writeFileSync(join(root, path), text)
