import { administrationEnglish } from '../elements/administration/texts.ts'
import { attachmentsEnglish } from '../elements/attachments/texts.ts'
import { auditEnglish } from '../elements/audit-timeline/texts.ts'
import { actionsEnglish } from '../elements/document-actions/texts.ts'
import { feedbackEnglish } from '../elements/feedback/texts.ts'
import { liveEnglish } from '../elements/live-object/texts.ts'
import { notesEnglish } from '../elements/notes/texts.ts'
import { preferencesEnglish } from '../elements/preferences/texts.ts'
import { teamEnglish } from '../elements/team/texts.ts'
import { baseTexts, type Texts } from '../elements/texts.ts'
import { workCenterEnglish } from '../elements/work-center/texts.ts'

/** The English texts of all elements. Elements show them by default, and again after `replaceTexts({})`. */
export const en: Texts = {
  ...baseTexts,
  ...actionsEnglish,
  ...administrationEnglish,
  ...attachmentsEnglish,
  ...auditEnglish,
  ...feedbackEnglish,
  ...liveEnglish,
  ...notesEnglish,
  ...preferencesEnglish,
  ...teamEnglish,
  ...workCenterEnglish,
}
