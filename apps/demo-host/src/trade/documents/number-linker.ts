import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import type { LinkedObject, NoteLinker } from '@vertical-kit/notes'
import { documentTypes } from './document-types.ts'

const prefixes = documentTypes.map(({ numberPrefix }) => numberPrefix).join('|')

/** Links document numbers in notes, such as `SI-00012`, to their documents. */
export const numberLinker: NoteLinker = {
  pattern: new RegExp(`\\b(?:${prefixes})-\\d{1,12}\\b`, 'g'),
  async resolve(db: Db, texts: readonly string[]) {
    const rows = await db.execute<{ id: string; type_code: string; number: string }>(sql`
      select id, type_code, number
      from trade.documents
      where type_code = any(${sql.param(documentTypes.map(({ code }) => code))}::text[])
        and number = any(${sql.param(texts)}::text[])`)
    return new Map(
      rows.map(({ id, type_code, number }): [string, LinkedObject] => {
        const kind = documentTypes.find(({ code }) => code === type_code)?.kind ?? 'Document'
        const target = { code: type_code, parameters: { documentId: id } }
        return [number, { reference: { kind, typeCode: type_code, id }, target }]
      }),
    )
  },
}
