import { posix } from 'node:path'
import type { Finding } from '../finding.ts'
import { isPackageSource, type Repository, type SourceFile } from './repository.ts'

/**
 * Contracts run in the browser, so they import only valibot and other contract files. Type imports follow the same rule.
 * The rule applies to every contract file, so it also covers indirect imports.
 */
export function contractFindings({ files }: Repository): Finding[] {
  return files
    .filter((file) => isPackageSource(file) && isContractFile(file.path))
    .flatMap((file) => file.facts.imports.flatMap(({ specifier, line }) => check(file, specifier, line)))
}

function check({ path }: SourceFile, specifier: string, line: number): Finding[] {
  if (isAllowed(path, specifier)) return []
  const message = `a contract must not import server code: only valibot and other contract files, not ${specifier}`
  return [{ path, line, message }]
}

function isAllowed(path: string, specifier: string): boolean {
  if (specifier.startsWith('.')) return isContractFile(posix.join(posix.dirname(path), specifier))
  return specifier === 'valibot' || /^@vertical-kit\/[^/]+\/contract$/.test(specifier)
}

/** Matches `contract.ts` of a package or a room, and files in a folder `contract/`. */
function isContractFile(path: string): boolean {
  return /\/contract(\.ts|\/.+)$/.test(path)
}
