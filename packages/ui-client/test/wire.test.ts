import type * as attachments from '@vertical-kit/attachments/contract'
import type * as core from '@vertical-kit/core-audit/contract'
import type * as actions from '@vertical-kit/document-actions/contract'
import type * as flags from '@vertical-kit/feature-flags/contract'
import type * as notes from '@vertical-kit/notes/contract'
import type * as workCenter from '@vertical-kit/work-center/contract'
import { describe, expectTypeOf, it } from 'vitest'
import type * as wire from '../src/index.ts'

/** Removes readonly modifiers, intersections and explicit undefined, so that types are compared by their JSON only. */
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Plain<Exclude<T[Key], undefined>> }
    : T

/** The compiler checks these types, so `pnpm check` fails if a contract changes without its wire type. */
describe('wire types equal the types of the contracts', () => {
  it('for content', () => {
    expectTypeOf<Plain<wire.Attachment>>().toEqualTypeOf<Plain<attachments.Attachment>>()
    expectTypeOf<Plain<wire.Upload>>().toEqualTypeOf<Plain<attachments.Upload>>()
    expectTypeOf<Plain<wire.PresignedUpload>>().toEqualTypeOf<Plain<attachments.PresignedUpload>>()
    expectTypeOf<Plain<wire.MultipartUpload>>().toEqualTypeOf<Plain<attachments.MultipartUpload>>()
    expectTypeOf<Plain<wire.PresignedPart>>().toEqualTypeOf<Plain<attachments.PresignedPart>>()
    expectTypeOf<Plain<wire.PresignedParts>>().toEqualTypeOf<Plain<attachments.PresignedParts>>()
    expectTypeOf<Plain<wire.UploadedPart>>().toEqualTypeOf<Plain<attachments.UploadedPart>>()
    expectTypeOf<Plain<wire.UploadedParts>>().toEqualTypeOf<Plain<attachments.UploadedParts>>()
    expectTypeOf<Plain<wire.Download>>().toEqualTypeOf<Plain<attachments.Download>>()
    expectTypeOf<Plain<wire.Page<wire.Attachment>>>().toEqualTypeOf<Plain<attachments.AttachmentPage>>()
    expectTypeOf<Plain<wire.Note>>().toEqualTypeOf<Plain<notes.Note>>()
    expectTypeOf<Plain<wire.Page<wire.Note>>>().toEqualTypeOf<Plain<notes.NotePage>>()
    expectTypeOf<Plain<wire.MentionableUsers>>().toEqualTypeOf<Plain<notes.MentionableUsers>>()
    expectTypeOf<Plain<wire.WatchState>>().toEqualTypeOf<Plain<workCenter.WatchState>>()
    expectTypeOf<Plain<wire.BusinessObjectReference>>().toEqualTypeOf<Plain<core.BusinessObjectReference>>()
    expectTypeOf<Plain<wire.ContentSummary>>().toEqualTypeOf<Plain<core.ContentSummary>>()
    expectTypeOf<Plain<wire.Feature>>().toEqualTypeOf<Plain<flags.Feature>>()
  })

  it('for documents and their audit timeline', () => {
    expectTypeOf<Plain<wire.EditorState>>().toEqualTypeOf<Plain<actions.EditorState>>()
    expectTypeOf<Plain<wire.ExecutionResult>>().toEqualTypeOf<Plain<actions.ExecutionResult>>()
    expectTypeOf<Plain<wire.DryRunResult>>().toEqualTypeOf<Plain<actions.DryRunResult>>()
    expectTypeOf<Plain<wire.BatchResult>>().toEqualTypeOf<Plain<actions.BatchResult>>()
    expectTypeOf<Plain<wire.ActionRoles>>().toEqualTypeOf<Plain<actions.ActionRoles>>()
    expectTypeOf<Plain<wire.RelatedDocuments>>().toEqualTypeOf<Plain<actions.RelatedDocuments>>()
    expectTypeOf<Plain<wire.Effects>>().toEqualTypeOf<Plain<actions.Effects>>()
    expectTypeOf<Plain<wire.AuditEventPage>>().toEqualTypeOf<Plain<core.AuditEventPage>>()
  })

  it('for the Work Center', () => {
    expectTypeOf<Plain<wire.WorkCenterItemPage>>().toEqualTypeOf<Plain<workCenter.ItemPage>>()
    expectTypeOf<Plain<wire.WorkCenterSummary>>().toEqualTypeOf<Plain<workCenter.Summary>>()
    expectTypeOf<Plain<wire.Preference>>().toEqualTypeOf<Plain<workCenter.Preference>>()
    expectTypeOf<Plain<wire.MailSettings>>().toEqualTypeOf<Plain<workCenter.MailSettings>>()
    expectTypeOf<Plain<wire.TeamTaskPage>>().toEqualTypeOf<Plain<workCenter.TeamTaskPage>>()
    expectTypeOf<Plain<wire.TaskRecipients>>().toEqualTypeOf<Plain<workCenter.TaskRecipients>>()
    expectTypeOf<Plain<wire.Substitution>>().toEqualTypeOf<Plain<workCenter.Substitution>>()
    expectTypeOf<Plain<wire.Substitutes>>().toEqualTypeOf<Plain<workCenter.Substitutes>>()
    expectTypeOf<wire.Tab>().toEqualTypeOf<workCenter.Tab>()
    expectTypeOf<wire.Sort>().toEqualTypeOf<workCenter.Sort>()
    expectTypeOf<wire.BatchVerb>().toEqualTypeOf<workCenter.BatchVerb>()
    expectTypeOf<Plain<wire.ItemBatchResults>>().toEqualTypeOf<Plain<workCenter.BatchResults>>()
  })

  it('for administration', () => {
    expectTypeOf<Plain<wire.Permission>>().toEqualTypeOf<Plain<core.Permission>>()
    expectTypeOf<Plain<wire.Role>>().toEqualTypeOf<Plain<core.Role>>()
    expectTypeOf<Plain<wire.Page<wire.User>>>().toEqualTypeOf<Plain<core.UserPage>>()
    expectTypeOf<Plain<wire.OutboxState>>().toEqualTypeOf<Plain<core.OutboxState>>()
    expectTypeOf<Plain<wire.Page<wire.DeadLetter>>>().toEqualTypeOf<Plain<core.DeadLetterPage>>()
    expectTypeOf<Plain<wire.OutboxEventHistory>>().toEqualTypeOf<Plain<core.OutboxEventHistory>>()
  })

  it('for access and problems', () => {
    expectTypeOf<Plain<wire.MeAccess>>().toEqualTypeOf<Plain<core.MeAccess>>()
    expectTypeOf<Plain<wire.ProblemDetails>>().toEqualTypeOf<Plain<core.ProblemDetails>>()
  })
})
