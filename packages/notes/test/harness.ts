import { auditTimeline, objectActivity } from '@vertical-kit/core-audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { coreMigrations, type Database, type MigrationPack } from '@vertical-kit/core-audit/database'
import { contentSummary } from '@vertical-kit/core-audit/host'
import {
  expectJson,
  migrationTemplate,
  openTestHost,
  type TestHost,
  type TestHostOptions,
  type TestRequest,
} from '@vertical-kit/core-audit/testing'
import { type FreshDatabase, freshDatabase } from '@vertical-kit/dev-services'
import { createFeatureFlags } from '@vertical-kit/feature-flags'
import {
  createNotes,
  type NoteLinker,
  type NotesConfig,
  notesFeature,
  notesMigrations,
} from '@vertical-kit/notes'
import type { Note } from '@vertical-kit/notes/contract'
import { inject } from 'vitest'
import { addParent, businessObjects } from './parents.ts'

export { expectJson, refusalOf } from '@vertical-kit/core-audit/testing'

const parentMigrations: MigrationPack = {
  name: 'notes-test-parents',
  directory: new URL('./fixtures/', import.meta.url),
}

/** Creates a new migrated database that also has a table of business objects. */
export async function openDatabase(): Promise<FreshDatabase> {
  const template = await migrationTemplate('notes', [coreMigrations, notesMigrations, parentMigrations])
  return freshDatabase(inject('postgresUrl'), { template })
}

export interface NotesHostOptions {
  readonly config?: NotesConfig
  readonly linkers?: readonly NoteLinker[]
  readonly featureState?: 'on' | 'off'
  readonly database?: TestHostOptions['database']
  /** The URL of an existing database. Default: a new database. */
  readonly databaseUrl?: string
  /** Returns a wrapper of the database for the modules, for example to count statements. */
  observe?(database: Database): Database
}

/** A test host with notes, the content summary, the audit timeline and the activity of objects. */
export interface NotesHost extends TestHost {
  readonly databaseUrl: string
  /** Adds a business object that all users are allowed to read. */
  addParent(reference?: BusinessObjectReference): Promise<BusinessObjectReference>
}

/** The module name in the audit events of the vertical. */
export const verticalModule = 'trade'

export async function openNotesHost(options: NotesHostOptions = {}): Promise<NotesHost> {
  const fresh = options.databaseUrl === undefined ? await openDatabase() : null
  const databaseUrl = options.databaseUrl ?? fresh?.url ?? ''
  const features = createFeatureFlags({
    definitions: [notesFeature],
    values: new Map([[notesFeature.code, options.featureState !== 'off']]),
  })
  const host = await openTestHost({
    databaseUrl,
    ...(options.database === undefined ? {} : { database: options.database }),
    modules(pool, outbox) {
      const database = options.observe?.(pool) ?? pool
      const config = options.config ?? { maxTextChars: 10_000 }
      const notes = createNotes({
        ...{ database, businessObjects, features, config, outbox },
        linkers: options.linkers ?? [],
      })
      const vertical = { name: 'vertical', auditSource: { module: verticalModule, isVisibleTo: () => true } }
      return [
        notes,
        auditTimeline({ database, businessObjects, modules: [notes, vertical] }),
        contentSummary({ database, businessObjects, modules: [notes] }),
        objectActivity({ database, businessObjects, modules: [notes] }),
      ]
    },
  })
  return {
    ...host,
    databaseUrl,
    addParent: (reference) => addParent(host.database, reference),
    async close() {
      await host.close()
      await fresh?.drop()
    },
  }
}

export const allPermissions = ['read', 'create', 'update', 'delete'].map((action) => `system.notes.${action}`)

export const targetParameters = ({ kind, typeCode, id }: BusinessObjectReference): string =>
  `kind=${kind}&typeCode=${typeCode}&objectId=${id}`

/** Adds a note for the user of `request`. Fails if the response is not 201. */
export async function write(
  request: TestRequest,
  target: BusinessObjectReference,
  text = 'Call back',
): Promise<Note> {
  return expectJson<Note>(await request('POST', '/api/notes', { body: { target, text } }), 201)
}
