import { documentType } from '@vertical-kit/document-actions'
import { generalJournalEntry } from '../documents/document-types.ts'
import { journalPosting } from '../ledger/posting-rules.ts'
import { bookedLifecycle, bookedType } from './booked-lifecycle.ts'
import { journalPostReasons } from './policy.ts'

/** The actions of journal entries. */
export const journalEntryActions = documentType({
  ...bookedType(generalJournalEntry),
  actions: ({ lifecycle }) =>
    lifecycle(bookedLifecycle({ postingOf: journalPosting, postReasons: journalPostReasons })),
})
