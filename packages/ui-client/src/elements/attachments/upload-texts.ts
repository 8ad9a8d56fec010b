import { files } from './texts.ts'

/** Texts of the uploads. */
export const uploadTexts = {
  queued: 'Waiting…',
  reserving: 'Preparing…',
  transferring: (sent: string, total: string) => `${sent} of ${total}`,
  verifying: 'Checking…',
  scanning: 'Checking for malware…',
  interrupted: 'This upload was interrupted.',
  resume: 'Resume',
  uploaded: (count: number, of: number) => `${count} of ${files(of)} uploaded`,
  allUploads: 'All uploads',
  cancelAll: 'Cancel all',
  retryAll: 'Try all again',
  progressOf: (name: string) => `Uploading ${name}`,
  cancelOf: (name: string) => `Cancel the upload of ${name}`,
  dismiss: 'Dismiss',
  dismissOf: (name: string) => `Dismiss the upload of ${name}`,
  resumeOf: (name: string) => `Resume the upload of ${name}`,
  retryOf: (name: string) => `Try again: upload ${name}`,
  tooLarge: (max: string) => `The file is too large. The limit is ${max}.`,
  tooMany: (max: string) => `The limit of ${max} files has been reached. Delete one and try again.`,
  /** The notice about all uploads of the session. */
  running: (count: number, of: number, percent: string) => `${count} of ${files(of)} uploaded, ${percent}`,
  stopped: (count: number) => (count === 1 ? '1 upload stopped' : `${count} uploads stopped`),
  uploadsOf: (name: string, others: number) => (others === 0 ? name : `${name} and ${others} more`),
}

/** The English texts of this part. */
export const uploadsEnglish = { attachments: uploadTexts }
