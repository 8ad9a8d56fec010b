import { files } from './texts.ts'
import { uploadTexts } from './upload-texts.ts'

/** Texts of the download of several files. */
export const zipTexts = {
  packing: (count: number, of: number) => `${count} of ${files(of)} downloaded`,
  packingProgress: 'Download of the files',
  cancelDownload: 'Cancel download',
  notDownloaded: (count: number, of: number) =>
    count === of ? 'No file could be downloaded:' : `${count} of ${files(of)} are missing in the download:`,
}

/** The English texts of this part. Some are those of the uploads. */
export const zipEnglish = { attachments: { ...uploadTexts, ...zipTexts } }
