import type { AuditSource, KitModule } from '@vertical-kit/core-audit'
import { holds } from '@vertical-kit/core-audit/access'
import type { Database } from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { type BusinessObjects, type ContentCounter, contentAccess } from '@vertical-kit/core-audit/objects'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import type { FeatureDefinition, FeatureFlags } from '@vertical-kit/feature-flags'
import type { Hono } from 'hono'
import { auditModule, peopleInNoteEvent } from './audit.ts'
import type { MentionsOf } from './commands/edit-note.ts'
import type { NotesConfig } from './config.ts'
import { type NotesContent, notesContent } from './content.ts'
import { NotesError } from './errors.ts'
import { createLinkNotes, type NoteLinker } from './linkers.ts'
import { notesMigrations } from './migrations.ts'
import { notesPermissions } from './permissions.ts'
import { mentionsIn } from './policy.ts'
import { countNotes } from './queries/list-notes.ts'
import { notesActivity } from './queries/notes-activity.ts'
import { notesRoutes } from './routes.ts'
import { version } from './version.ts'

/** The feature to register in the deployment. It is off unless `FeatureManagement__Notes` is true. */
export const notesFeature: FeatureDefinition = {
  code: 'Notes',
  displayName: 'Notes',
  group: 'Attachments & Notes',
}

/** The parts of a host that notes use. `features` must define `notesFeature`, even while the feature is off. */
export interface NotesOptions {
  readonly database: Database
  readonly businessObjects: BusinessObjects
  readonly features: FeatureFlags
  readonly config: NotesConfig
  /** Receives an event for the first mention of a user in a note. Without it, mentions notify nobody. */
  readonly outbox?: Pick<Outbox, 'insert'>
  /** Turn texts such as document numbers into links. */
  readonly linkers?: readonly NoteLinker[]
}

/** The notes module. `counter` is for the content summary, and `auditSource` is for the audit timeline. */
export interface Notes extends KitModule, NotesContent {
  readonly router: Hono<KitEnv>
  readonly counter: ContentCounter
  readonly auditSource: AuditSource
}

/** Creates the notes module. While the feature is off, all its routes and methods throw feature.disabled. */
export function createNotes(options: NotesOptions): Notes {
  const { database, businessObjects, features, config } = options
  const isEnabled = features.isEnabled(notesFeature.code)
  const access = contentAccess({ businessObjects, notFound: () => new NotesError('notes.not_found') })
  const mentionsOf: MentionsOf = async (db, target, text) => {
    const readers = await businessObjects.readersAmong(db, target, mentionsIn(text))
    return readers.flatMap(({ userId, displayName }) => (userId === null ? [] : [{ userId, displayName }]))
  }
  const link = createLinkNotes(options.linkers ?? [], businessObjects)
  const mentioning = { outbox: options.outbox, mentionsOf, link }
  const content = notesContent({ isEnabled, newId: database.newId, config, access, ...mentioning })
  const guard = features.require(notesFeature.code)
  return {
    ...content,
    name: notesMigrations.name,
    version,
    router: notesRoutes({ ...{ database, businessObjects, access, content, config, guard }, ...mentioning }),
    permissions: notesPermissions,
    errors: [NotesError],
    migrations: notesMigrations,
    counter: { content: 'notes', isEnabled, readPermission: 'system.notes.read', count: countNotes },
    activity: notesActivity({ isEnabled, link }),
    auditSource: {
      module: auditModule,
      isEnabled,
      isVisibleTo: (caller) => holds(caller, 'system.notes.read'),
      peopleIn: peopleInNoteEvent,
    },
  }
}
