import {
  BusinessObjectReference,
  Id,
  Instant,
  PageLimit,
  Target,
  targetQuery,
} from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'

/** A plain-text note on a business object. `version` starts at 1, and every edit adds 1. */
export const Note = v.pipe(
  v.object({
    id: v.string(),
    target: BusinessObjectReference,
    text: v.string(),
    version: v.number(),
    isDeleted: v.boolean(),
    createdAtUtc: Instant,
    createdByUserId: v.string(),
    createdByDisplayName: v.string(),
    updatedAtUtc: Instant,
    updatedByUserId: v.string(),
    updatedByDisplayName: v.string(),
  }),
  v.metadata({ ref: 'Note' }),
)
export type Note = v.InferOutput<typeof Note>

/** One page of a list, newest first. `nextCursor` is the `cursor` of the next page, or `null` on the last page. */
export const NotePage = v.pipe(
  v.object({ items: v.array(Note), nextCursor: v.nullable(v.string()) }),
  v.metadata({ ref: 'NotePage' }),
)
export type NotePage = v.InferOutput<typeof NotePage>

export const ListNotesQuery = v.object({ ...targetQuery, limit: PageLimit, cursor: v.optional(Id) })

/** A missing text is read as an empty text, which `normalizeText` rejects with `notes.text_required`. */
const Text = v.nullish(v.string(), '')

/** The version of the note when the client loaded it. A number that differs from the current version is a conflict. */
const Version = v.pipe(v.number(), v.safeInteger('expected a whole number'))

export const CreateNoteBody = v.pipe(
  v.object({ target: Target, text: Text }),
  v.metadata({ ref: 'CreateNote' }),
)

export const UpdateNoteBody = v.pipe(
  v.object({ text: Text, version: Version }),
  v.metadata({ ref: 'UpdateNote' }),
)

/** Only the first deletion needs `version`. A repeat ignores `version`, so the schema accepts any text. */
export const DeleteNoteQuery = v.object({ version: v.optional(v.string()) })
