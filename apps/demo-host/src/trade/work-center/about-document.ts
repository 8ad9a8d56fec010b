import type { DocumentState } from '@vertical-kit/document-actions'
import type { CreateTask } from '@vertical-kit/work-center'

/** Returns the source and target of an item about a document. Only users who can view the document see the item. */
export function aboutDocument(
  { typeCode, id, display }: DocumentState,
  customerName: string,
): Pick<CreateTask, 'source'> & { readonly target: NonNullable<CreateTask['target']> } {
  return {
    source: {
      resourceKind: 'document',
      resourceCode: typeCode,
      entityId: id,
      title: display,
      subtitle: customerName,
    },
    // The code of a document's navigation target is the code of the document's type.
    target: { code: typeCode, parameters: { documentId: id } },
  }
}
