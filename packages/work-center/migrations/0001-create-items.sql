-- Tasks and notifications, and the inbox entry each of their recipients has. First migration: no older code runs against it.

create schema work_center;

create table work_center.tasks (
  id uuid constraint tasks_pkey primary key,
  code text not null,
  -- What the task is about, in the words of who creates it: one task for each, ever.
  deduplication_key text not null,
  title text not null,
  description text not null default '',
  resource_kind text not null,
  resource_code text not null,
  entity_id uuid not null,
  source_title text not null,
  source_subtitle text,
  priority text not null default 'Normal',
  due_at timestamptz,
  status text not null default 'Open',
  assigned_user_id uuid,
  assigned_role_id uuid,
  claimed_by_user_id uuid,
  primary_action_code text,
  target jsonb,
  -- Of what everybody sees of it: grows when it is claimed, given back, completed, cancelled or reopened.
  version integer not null default 1,
  -- When it came into its state: lists are in this order.
  sort_at timestamptz not null default clock_timestamp(),
  closed_at timestamptz,
  constraint tasks_deduplication_key unique (code, deduplication_key),
  constraint tasks_names_check check (
    code <> '' and deduplication_key <> '' and title <> '' and resource_kind <> '' and resource_code <> ''
  ),
  constraint tasks_priority_check check (priority in ('Low', 'Normal', 'High', 'Critical')),
  constraint tasks_status_check check (status in ('Open', 'InProgress', 'Completed', 'Cancelled')),
  constraint tasks_assignment_check check ((assigned_user_id is null) <> (assigned_role_id is null)),
  constraint tasks_claim_check check (claimed_by_user_id is null or assigned_role_id is not null),
  constraint tasks_closed_check check ((closed_at is not null) = (status in ('Completed', 'Cancelled'))),
  constraint tasks_target_check check (jsonb_typeof(target) = 'object'),
  constraint tasks_version_check check (version >= 1)
);

-- Answers: which closed tasks are past their retention?
create index tasks_closed on work_center.tasks (closed_at) where closed_at is not null;

-- Answers: which tasks has this user claimed, that must be given back when they lose the role?
create index tasks_claimed on work_center.tasks (claimed_by_user_id)
where claimed_by_user_id is not null and closed_at is null;

create table work_center.notifications (
  id uuid constraint notifications_pkey primary key,
  code text not null,
  deduplication_key text not null,
  title text not null,
  description text not null default '',
  resource_kind text not null,
  resource_code text not null,
  entity_id uuid not null,
  source_title text not null,
  source_subtitle text,
  severity text not null,
  target jsonb,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  constraint notifications_deduplication_key unique (code, deduplication_key),
  constraint notifications_names_check check (
    code <> '' and deduplication_key <> '' and title <> '' and resource_kind <> '' and resource_code <> ''
  ),
  constraint notifications_severity_check check (severity in ('Information', 'Success', 'Warning', 'Critical')),
  constraint notifications_target_check check (jsonb_typeof(target) = 'object')
);

-- Answers: which notifications are past their retention?
create index notifications_by_expiry on work_center.notifications (expires_at);

-- One row for each item and recipient, with what filters, counts and order need: a page is a range of one index, and what
-- others have, or what is long done, does not slow it down.
create table work_center.entries (
  user_id uuid not null,
  item_id uuid not null,
  kind text not null,
  -- Null unless it is an unclaimed task of a role: then it is there for who still has the role.
  role_id uuid,
  -- `<resourceKind>.<resourceCode>.view`: who may not view the source does not see the item.
  view_permission text not null,
  resource_code text not null,
  priority text,
  severity text,
  due_at timestamptz,
  expires_at timestamptz,
  -- An open task; a notification that is not dismissed.
  is_open boolean not null default true,
  -- False while somebody else has claimed the task.
  is_visible boolean not null default true,
  read_at timestamptz,
  snoozed_until timestamptz,
  -- The item's.
  sort_at timestamptz not null,
  -- When time alone changes next what the user sees of it: the end of a snooze, a due date, an expiry.
  changes_at timestamptz,
  constraint entries_pkey primary key (user_id, item_id),
  constraint entries_kind_check check (
    (kind = 'Task' and priority is not null and severity is null and expires_at is null)
    or (
      kind = 'Notification' and severity is not null and expires_at is not null
      and priority is null and due_at is null and snoozed_until is null and role_id is null
    )
  ),
  constraint entries_names_check check (view_permission <> '' and resource_code <> '')
) with (fillfactor = 85);

-- Answers: what needs this user's attention, newest first?
create index entries_attention on work_center.entries (user_id, sort_at desc, item_id desc)
where is_open and is_visible and (kind = 'Task' or read_at is null);

-- Answers: which open tasks, or which notifications, does this user have, newest first?
create index entries_open on work_center.entries (user_id, kind, sort_at desc, item_id desc)
where is_open and is_visible;

-- Answers: what has this user done, newest first?
create index entries_completed on work_center.entries (user_id, sort_at desc, item_id desc)
where kind = 'Task' and not is_open and is_visible;

-- Answers: who has an entry of this item?
create index entries_by_item on work_center.entries (item_id);

-- Answers: what does time change next?
create index entries_by_change on work_center.entries (changes_at) where changes_at is not null;

-- One number a user: grows by one with every committed change of what they see. No clock, no sequence: a row that commits
-- with the change.
create table work_center.user_versions (
  user_id uuid constraint user_versions_pkey primary key,
  version bigint not null,
  constraint user_versions_version_check check (version >= 1)
) with (fillfactor = 70);

-- From here on every event of the outbox has a delivery for the Work Center.
select core_audit.register_outbox_consumer('work-center');
