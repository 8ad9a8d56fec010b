export { AttachmentsPanel } from './attachments-panel.ts'
export { defineAttachmentsElements } from './define-elements.ts'
export { UploadsNotice } from './uploads-notice.ts'
