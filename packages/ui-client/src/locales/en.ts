import { administrationEnglish } from '../elements/administration/texts.ts'
import { attachmentsTexts } from '../elements/attachments/texts.ts'
import { uploadTexts } from '../elements/attachments/upload-texts.ts'
import { zipTexts } from '../elements/attachments/zip-texts.ts'
import { auditEnglish } from '../elements/audit-timeline/texts.ts'
import { runTexts } from '../elements/document-actions/run-texts.ts'
import { actionsTexts } from '../elements/document-actions/texts.ts'
import { feedbackEnglish } from '../elements/feedback/texts.ts'
import { liveEnglish } from '../elements/live-object/texts.ts'
import { notesTexts } from '../elements/notes/texts.ts'
import { noteToolTexts } from '../elements/notes/tool-texts.ts'
import { preferencesEnglish } from '../elements/preferences/texts.ts'
import { teamFormTexts } from '../elements/team/form-texts.ts'
import { teamTexts } from '../elements/team/texts.ts'
import { baseTexts, type Texts } from '../elements/texts.ts'
import { workCenterDialogTexts } from '../elements/work-center/dialog-texts.ts'
import { workCenterTexts } from '../elements/work-center/texts.ts'

/** The English texts of all elements. Elements show them by default, and again after `replaceTexts({})`. */
export const en: Texts = {
  ...baseTexts,
  ...administrationEnglish,
  ...auditEnglish,
  ...feedbackEnglish,
  ...liveEnglish,
  ...preferencesEnglish,
  actions: { ...actionsTexts, ...runTexts },
  attachments: { ...attachmentsTexts, ...uploadTexts, ...zipTexts },
  notes: { ...notesTexts, ...noteToolTexts },
  team: { ...teamTexts, ...teamFormTexts },
  workCenter: { ...workCenterTexts, ...workCenterDialogTexts },
}
