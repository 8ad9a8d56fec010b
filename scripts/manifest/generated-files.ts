import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../check/finding.ts'
import { llmsText } from './llms.ts'
import { manifestOf, packageFolder, readModules, undocumentedNames } from './manifest.ts'

/** Returns the generated files of the package with the elements, by their paths. */
export function generatedFiles(root: string): ReadonlyMap<string, string> {
  const manifest = manifestOf(readModules(root))
  const { exports } = JSON.parse(readFileSync(join(root, packageFolder, 'package.json'), 'utf8')) as {
    readonly exports: object
  }
  return new Map([
    [`${packageFolder}/custom-elements.json`, `${JSON.stringify(manifest, null, 2)}\n`],
    [`${packageFolder}/llms.txt`, llmsText(manifest, Object.keys(exports))],
  ])
}

/** Finds generated files that are out of date, and docstrings that do not list the parts and slots of their templates. */
export function manifestFindings(root: string): Finding[] {
  const outdated = [...generatedFiles(root)]
    .filter(
      ([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text,
    )
    .map(([path]) => ({ path, message: 'out of date; run `pnpm manifest`' }))
  const undocumented = undocumentedNames(readModules(root)).map(({ path, message }) => ({
    path: `${packageFolder}/${path}`,
    message,
  }))
  return [...outdated, ...undocumented]
}
