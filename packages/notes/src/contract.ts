import {
  BusinessObjectReference,
  codePointCount,
  Id,
  Instant,
  NavigationTarget,
  PageLimit,
  StorableText,
  Target,
  targetQuery,
} from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'

/** A user that the text mentions as `@[<userId>]`. The name is the current one. */
export const Mention = v.object({ userId: v.string(), displayName: v.string() })
export type Mention = Readonly<v.InferOutput<typeof Mention>>

/**
 * A part of the text that leads somewhere: a web address (http or https), or an object that the reader may read. `start` and
 * `length` count UTF-16 code units, as strings of JavaScript do. Links do not overlap.
 */
export const NoteLink = v.union([
  v.object({ start: v.number(), length: v.number(), url: v.string() }),
  v.object({ start: v.number(), length: v.number(), target: NavigationTarget }),
])
export type NoteLink = Readonly<v.InferOutput<typeof NoteLink>>

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
    /** The mentioned users, in the order of the text. A mention of a user who could not read the object is plain text. */
    mentions: v.array(Mention),
    /** Absent if the text contains none. */
    links: v.optional(v.array(NoteLink)),
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

export const ListMentionableQuery = v.object({
  ...targetQuery,
  /** A part of the name; at most 200 code points. */
  q: v.optional(
    v.pipe(
      StorableText,
      v.check((text) => codePointCount(text) <= 200, 'expected at most 200 characters'),
    ),
    '',
  ),
})

/** Users that a note can mention. */
export const MentionableUsers = v.pipe(
  v.object({ items: v.array(Mention) }),
  v.metadata({ ref: 'MentionableUsers' }),
)
export type MentionableUsers = v.InferOutput<typeof MentionableUsers>

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
