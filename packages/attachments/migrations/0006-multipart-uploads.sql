-- Uploads in parts: the size of the parts, and the id of the multipart upload in the store. Only adds columns without a default
-- and a check, which all rows satisfy; the next migration validates it. Older releases answer `attachments.upload_missing` when
-- such an upload is completed; a newer release completes it then.
-- compatible: older releases keep working

alter table attachments.attachments
  add column part_size_bytes integer,
  add column multipart_upload_id text,
  add constraint attachments_multipart_check check (
    case when part_size_bytes is null then multipart_upload_id is null else part_size_bytes > 0 end
  ) not valid;
