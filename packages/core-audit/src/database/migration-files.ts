import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { type IndexChange, readIndexChange } from './index-change.ts'

/** The numbered SQL files of a package, such as `0001-create-notes.sql`. The ledger identifies the package by `name`. */
export interface MigrationPack {
  readonly name: string
  readonly directory: URL
}

/** One migration file: its SQL text, with `\n` as line ending, and the values that the ledger stores. */
export interface MigrationFile {
  readonly pack: string
  readonly file: string
  readonly checksum: string
  /** Whether the file's first comment declares that older releases work with the resulting schema. */
  readonly isCompatible: boolean
  /** The statement of a file that runs outside a transaction; `null` if the file runs in one. */
  readonly indexChange: IndexChange | null
  readonly sql: string
}

/**
 * Reads all migrations of the packs and returns them in the order of application.
 *
 * @throws {Error} if a pack is listed twice, if the file numbers of a pack have a gap or a duplicate, if a declaration is
 *   misspelled, or if a file that runs outside a transaction contains anything else than one statement that is safe to repeat
 */
export async function readMigrationFiles(packs: readonly MigrationPack[]): Promise<readonly MigrationFile[]> {
  const names = packs.map((pack) => pack.name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`The migrations of ${twice} are listed twice.`)
  const files = await Promise.all(packs.map(readPack))
  return files.flat()
}

async function readPack(pack: MigrationPack): Promise<readonly MigrationFile[]> {
  const directory = pack.directory.href.endsWith('/') ? pack.directory : new URL(`${pack.directory.href}/`)
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()
  for (const [index, name] of names.entries()) {
    if (Number(/^(\d{4})-[a-z0-9-]+\.sql$/.exec(name)?.[1]) !== index + 1) {
      const number = String(index + 1).padStart(4, '0')
      throw new Error(`${pack.name}: expected a file of the form ${number}-what-it-does.sql, found ${name}`)
    }
  }
  return Promise.all(
    names.map(async (name) => readFileOf(pack, name, await readFile(new URL(name, directory), 'utf8'))),
  )
}

function readFileOf(pack: MigrationPack, file: string, text: string): MigrationFile {
  // Line endings differ between checkouts. After normalisation, every checkout has the same checksum and SQL text.
  const sql = text.replaceAll('\r\n', '\n')
  const name = `${pack.name}/${file}`
  const firstComment = /^(?:--.*(?:\n|$))*/.exec(sql)?.[0] ?? ''
  return {
    pack: pack.name,
    file,
    checksum: createHash('sha256').update(sql).digest('hex'),
    isCompatible: isDeclared('compatible: older releases keep working', name, firstComment),
    indexChange: isDeclared('transaction: none', name, firstComment) ? readIndexChange(name, sql) : null,
    sql,
  }
}

/** Returns whether the first comment contains the declaration `key: value`. Throws for another value or spelling. */
function isDeclared(declaration: `${string}: ${string}`, name: string, firstComment: string): boolean {
  const [key] = declaration.split(' ')
  const declared = firstComment.split('\n').filter((line) => new RegExp(`^--\\s*${key}`, 'i').test(line))
  if (declared.some((line) => line !== `-- ${declaration}`)) {
    throw new Error(`${name}: the only valid declaration is "-- ${declaration}"`)
  }
  return declared.length > 0
}
