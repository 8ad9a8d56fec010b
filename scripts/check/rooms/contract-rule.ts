import { posix } from 'node:path'
import type { Finding } from '../finding.ts'
import { isPackageSource, type Repository, type SourceFile } from './repository.ts'

/**
 * A contract runs in the browser: it imports valibot and other contract files, types included, and nothing else.
 * Every contract file is held to this, so what it reaches through others is as clean as what it imports.
 */
export function contractFindings({ files }: Repository): Finding[] {
  return files
    .filter((file) => isPackageSource(file) && isContractFile(file.path))
    .flatMap((file) => file.facts.imports.flatMap(({ specifier, line }) => check(file, specifier, line)))
}

function check({ path }: SourceFile, specifier: string, line: number): Finding[] {
  if (isAllowed(path, specifier)) return []
  const message = `a contract reaches no server code: it imports valibot and other contract files, not ${specifier}`
  return [{ path, line, message }]
}

function isAllowed(path: string, specifier: string): boolean {
  if (specifier.startsWith('.')) return isContractFile(posix.join(posix.dirname(path), specifier))
  return specifier === 'valibot' || /^@vertical-kit\/[^/]+\/contract$/.test(specifier)
}

/** `contract.ts` of a package or of one of its rooms, and what is in a folder `contract/`. */
function isContractFile(path: string): boolean {
  return /\/contract(\.ts|\/.+)$/.test(path)
}
