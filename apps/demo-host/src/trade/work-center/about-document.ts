import type { DocumentState } from '@vertical-kit/document-actions'
import type { CreateTask } from '@vertical-kit/work-center'

/** What an item says of the order or invoice it is about, and that it leads there. Who may not view it sees no item. */
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
    // The place where documents of a type are shown has the type's name.
    target: { code: typeCode, parameters: { documentId: id } },
  }
}
