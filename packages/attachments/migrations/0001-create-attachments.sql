-- Files on business objects: what is known of them; the bytes are in the object store. First migration: no older code
-- runs against it.

create schema attachments;

create table attachments.attachments (
  id uuid constraint attachments_pkey primary key,
  -- The parent belongs to the vertical: a reference without a foreign key.
  target_kind text not null,
  target_type_code text not null,
  target_id uuid not null,
  file_name text not null,
  content_type text not null,
  size_bytes bigint not null,
  status text not null default 'pending',
  -- The clock at the insert: a reservation that waited for its turn begins when it gets it.
  created_at timestamptz not null default clock_timestamp(),
  created_by_user_id uuid not null,
  completed_at timestamptz,
  -- Deletion is logical: the row stays, lists, counts and the quota leave it out.
  deleted_at timestamptz,
  -- Who may copy the uploaded bytes to their final key, and until when: one at a time, across replicas.
  seal_token uuid,
  seal_lease_until timestamptz,
  constraint attachments_target_check check (
    target_kind in ('CatalogItem', 'Document', 'GeneralJournalEntry') and target_type_code <> ''
  ),
  -- char_length counts code points.
  constraint attachments_file_name_check check (
    char_length(file_name) between 1 and 255
    and file_name not in ('.', '..')
    and file_name !~ '[/\\]'
  ),
  constraint attachments_content_type_check check (
    char_length(content_type) <= 200 and content_type ~ '^[^/]+/[^/]+$'
  ),
  -- 5 GiB is what one PUT and one copy can carry in S3; the deployment's own limit is lower or equal.
  constraint attachments_size_bytes_check check (size_bytes between 0 and 5368709120),
  constraint attachments_status_check check (status in ('pending', 'ready', 'deleted')),
  constraint attachments_completed_check check (
    case status when 'pending' then completed_at is null when 'ready' then completed_at is not null else true end
  ),
  constraint attachments_deleted_check check ((status = 'deleted') = (deleted_at is not null)),
  constraint attachments_seal_check check (
    (seal_token is null) = (seal_lease_until is null) and (seal_token is null or status = 'pending')
  )
);

-- Answers: which files does this object show, newest first, and how many?
create index attachments_by_target on attachments.attachments
  (target_id, target_type_code, target_kind, id desc)
  where status = 'ready';

-- Answers: how many files of this object count against its quota, uploads under way included?
create index attachments_active_by_target on attachments.attachments
  (target_id, target_type_code, target_kind)
  where deleted_at is null;

-- Answers: which uploads were begun long ago and never completed, oldest first?
create index attachments_pending_by_age on attachments.attachments
  (created_at)
  where status = 'pending';
