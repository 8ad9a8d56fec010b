import type { Tx } from '@vertical-kit/core-audit/database'
import type { ActionExecution } from '@vertical-kit/document-actions'
import type { SalesFields } from '../../documents/fields.ts'
import { writePosting } from '../../ledger/commands/write-posting.ts'
import { amountOf } from '../../ledger/money.ts'
import { writeOffPosting } from '../../ledger/posting-rules.ts'
import type { InvoiceFacts } from '../policy.ts'

/** Writes off the open balance of an invoice that the caller has locked. Applying a payment waits for that lock. */
export async function writeOff(tx: Tx, execution: ActionExecution<SalesFields, InvoiceFacts>) {
  const { document: invoice, facts } = execution
  await writePosting(
    tx,
    { ...execution, actionCode: 'trade.write_off' },
    writeOffPosting(invoice, facts.outstanding),
  )
  return {
    changes: [{ fieldPath: 'outstanding', oldValue: amountOf(facts.outstanding), newValue: amountOf(0n) }],
  }
}
