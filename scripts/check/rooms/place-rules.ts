import type { Finding } from '../finding.ts'
import { isPackageSource, type Repository, type SourceFile } from './repository.ts'
import { pathWithin, runsInBrowser, treesOf } from './trees.ts'

interface PlaceRule {
  /** Returns whether the rule applies to the file. */
  appliesTo: (file: SourceFile) => boolean
  /** Returns the lines that violate the rule. */
  linesOf: (file: SourceFile) => readonly number[]
  message: string
}

/** Code that is forbidden in some rooms or everywhere. The rules also apply to apps: a vertical is like a package. */
const rules: readonly PlaceRule[] = [
  {
    appliesTo: isFrontDoor,
    linesOf: ({ facts }) => facts.starExports,
    message: 'export * hides the public surface; name every export',
  },
  {
    appliesTo: isFrontDoor,
    linesOf: ({ facts }) => facts.logic,
    message: 'index.ts only names exports; move the code to its room',
  },
  {
    appliesTo: isRoutes,
    linesOf: ({ facts }) => facts.sqlUses,
    message: 'SQL in a route; move it to queries/ or commands/',
  },
  {
    appliesTo: isRoutes,
    linesOf: ({ facts }) =>
      facts.imports.filter((imported) => !imported.isTypeOnly && isTableCode(imported.specifier)).map(lineOf),
    message: 'a route imports tables or the query builder; move the statement to queries/ or commands/',
  },
  {
    appliesTo: isPolicyOrCommand,
    linesOf: ({ facts }) => facts.clockReads,
    message: 'a rule or command reads the clock; accept the time as a parameter',
  },
  {
    appliesTo: isLibraryCode,
    linesOf: ({ facts }) => facts.environmentReads,
    message: 'only a host reads process.env; accept the value as an option',
  },
  {
    appliesTo: runsInBrowser,
    linesOf: ({ facts }) =>
      facts.imports.filter(({ specifier }) => specifier.startsWith('node:')).map(lineOf),
    message: 'code for browsers must not import Node modules',
  },
  {
    appliesTo: () => true,
    linesOf: ({ facts }) => facts.booleanParameters,
    message: 'a boolean argument is unclear at the call; name it in an object or write two functions',
  },
]

/** Finds code in the wrong room. */
export function placeFindings({ files }: Repository): Finding[] {
  return files
    .filter(isPlanned)
    .flatMap((file) => rules.filter(({ appliesTo }) => appliesTo(file)).flatMap((rule) => check(file, rule)))
}

/** Returns whether a file is in a planned tree. Tests and setup files are not in such a tree. */
function isPlanned({ workspace, segments }: SourceFile): boolean {
  return (
    workspace !== undefined && treesOf(workspace).some((tree) => pathWithin(tree, segments) !== undefined)
  )
}

function check(file: SourceFile, { linesOf, message }: PlaceRule): Finding[] {
  return linesOf(file).map((line) => ({ path: file.path, line, message }))
}

function isFrontDoor(file: SourceFile): boolean {
  return isPackageSource(file) && nameOf(file) === 'index.ts'
}

function isRoutes(file: SourceFile): boolean {
  return nameOf(file) === 'routes.ts'
}

function isPolicyOrCommand(file: SourceFile): boolean {
  return nameOf(file) === 'policy.ts' || foldersOf(file).includes('commands')
}

/** Returns whether a file runs inside a host. Published test helpers do not run inside a host. */
function isLibraryCode(file: SourceFile): boolean {
  return isPackageSource(file) && nameOf(file) !== 'testing.ts' && !foldersOf(file).includes('testing')
}

function nameOf({ segments }: SourceFile): string | undefined {
  return segments.at(-1)
}

function foldersOf({ segments }: SourceFile): readonly string[] {
  return segments.slice(0, -1)
}

function isTableCode(specifier: string): boolean {
  return /^(drizzle-orm|postgres)(\/|$)/.test(specifier) || /(^|\/)schema(-internal)?\.ts$/.test(specifier)
}

function lineOf({ line }: { line: number }): number {
  return line
}
