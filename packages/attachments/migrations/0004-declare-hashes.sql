-- The SHA-256 that an uploader declares, in base64. Only adds a column without a default and its check, which all rows
-- satisfy; the next migration validates it. Older code stores no hash.
-- compatible: older releases keep working

alter table attachments.attachments
  add column sha256 text,
  add constraint attachments_sha256_check check (sha256 ~ '^[0-9A-Za-z+/]{43}=$') not valid;
