export {
  type CompleteUppyOptions,
  completeUppyUploads,
  type UppyAwsS3Options,
  uppyAwsS3Options,
} from './uppy-uploads.ts'
