-- Users, roles and who has which. First migration: no older code runs against it.
-- The schema itself is made by the migrator, whose ledger lives in it.

create table core_audit.users (
  id uuid constraint users_pkey primary key,
  subject text not null,
  email text,
  display_name text not null,
  is_active boolean not null default true,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint users_subject_key unique (subject),
  constraint users_subject_check check (subject <> '')
);

create table core_audit.roles (
  id uuid constraint roles_pkey primary key,
  code text not null,
  name text not null,
  description text not null default '',
  -- Always read and written whole, with the role: the permission snapshot is asked on every request.
  permissions text[] not null default '{}',
  is_active boolean not null default true,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint roles_code_key unique (code),
  constraint roles_code_check check (code ~ '^[a-z0-9]+([._-][a-z0-9]+)*$' and length(code) <= 100),
  constraint roles_name_check check (name <> '' and length(name) <= 200),
  constraint roles_description_check check (length(description) <= 2000)
);

create table core_audit.user_roles (
  user_id uuid not null constraint user_roles_user_id_fkey references core_audit.users (id),
  role_id uuid not null constraint user_roles_role_id_fkey references core_audit.roles (id),
  constraint user_roles_pkey primary key (user_id, role_id)
);

-- Answers: who has this role?
create index user_roles_by_role on core_audit.user_roles (role_id);

-- What other packages may read of a user: the name to show beside their work.
create view core_audit.user_names as
select id, display_name from core_audit.users;
