import { attachmentsStore, type Drafts, type Session } from '@vertical-kit/ui-client/stores'
import type { AttachmentsStage, OpenAttachments } from './attachments-stage.ts'

/** Drafts in memory, in place of the storage of a browser. They survive the sessions of a test. */
export function createDrafts(): Drafts {
  const [texts, files] = [new Map<string, string>(), new Map<string, unknown>()]
  return {
    texts: {
      get: (name) => texts.get(name) ?? null,
      set: (name, text) => void texts.set(name, text),
      delete: (name) => void texts.delete(name),
      names: (prefix) => [...texts.keys()].filter((name) => name.startsWith(prefix)),
    },
    files: {
      list: async <T>(prefix: string) =>
        [...files].filter(([name]) => name.startsWith(prefix)) as (readonly [string, T])[],
      set: async (name, value) => void files.set(name, value),
      delete: async (name) => void files.delete(name),
    },
    clear: async () => {},
  }
}

/** Opens a page of a browser that keeps these drafts. */
export async function openPage(
  stage: AttachmentsStage,
  drafts: Drafts,
  given?: OpenAttachments['target'],
): Promise<OpenAttachments> {
  const { target, ...signedIn } = await stage.open('clerk', given)
  const session: Session = { ...signedIn.session, drafts }
  return { ...signedIn, ...attachmentsStore(session, target), session, target }
}
