-- The audit log has a partition for each year, and the existing table becomes the first one. Only the catalog changes: no
-- event is read or moved, and readers and writers wait for a moment.
--
-- Older code still runs, but lists without the index that it needs, and its hosts do not create partitions.

lock table core_audit.audit_events in access exclusive mode;

-- These would silently continue to use the first partition only.
do $do$
declare
  dependents text := (
    select string_agg(name, ', ' order by name)
    from (
      select 'foreign key ' || conname || ' of ' || conrelid::regclass
      from pg_constraint
      where contype = 'f' and confrelid = 'core_audit.audit_events'::regclass
      union
      select 'view ' || r.ev_class::regclass
      from pg_depend d
      join pg_rewrite r on r.oid = d.objid
      where d.classid = 'pg_rewrite'::regclass and d.refobjid = 'core_audit.audit_events'::regclass
      union
      select 'trigger ' || tgname
      from pg_trigger
      where tgrelid = 'core_audit.audit_events'::regclass and not tgisinternal
        and tgname not in ('audit_events_append_only', 'audit_events_no_truncate')
      union
      select 'function ' || objid::regprocedure
      from pg_depend
      where classid = 'pg_proc'::regclass and refobjid = 'core_audit.audit_events'::regclass
      union
      select 'publication ' || pubname
      from pg_publication_rel r
      join pg_publication p on p.oid = r.prpubid
      where r.prrelid = 'core_audit.audit_events'::regclass
      union
      select 'policy ' || polname from pg_policy where polrelid = 'core_audit.audit_events'::regclass
      union
      select 'row level security' from pg_class where oid = 'core_audit.audit_events'::regclass and relrowsecurity
      union
      select 'grants of the column ' || attname
      from pg_attribute
      where attrelid = 'core_audit.audit_events'::regclass and attacl is not null
    ) as found (name)
  );
begin
  if dependents is not null then
    raise exception 'drop these before, and create them again afterwards: %', dependents
      using errcode = 'dependent_objects_still_exist';
  end if;
end
$do$;

-- The partitions, newest first. The bounds are those of the ids: `first_id` is null if there is no lower bound.
create function core_audit.audit_partitions() returns table (name text, first_id uuid, end_id uuid)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select c.relname::text,
    substring(bound from 'FROM \(''([0-9a-f-]{36})''\)')::uuid,
    substring(bound from 'TO \(''([0-9a-f-]{36})''\)')::uuid
  from pg_inherits i
  join pg_class c on c.oid = i.inhrelid
  cross join pg_get_expr(c.relpartbound, c.oid) bound
  where i.inhparent = to_regclass('core_audit.audit_events') and not i.inhdetachpending
  order by 3 desc
$$;

-- Creates the partition of a year, unless the year belongs to a partition. Attaching a new table blocks neither readers nor
-- writers. Only the owner uses a partition directly: the rights of all others are those on core_audit.audit_events.
create function core_audit.create_audit_partition(of_year integer) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  partition text := format('core_audit.%I', 'audit_events_' || of_year);
  first uuid := core_audit.first_event_id(make_timestamptz(of_year, 1, 1, 0, 0, 0, 'UTC'));
  next uuid := core_audit.first_event_id(make_timestamptz(of_year + 1, 1, 1, 0, 0, 0, 'UTC'));
begin
  perform pg_advisory_xact_lock(hashtextextended('core_audit.create_audit_partition', 0));
  if exists (
    select from core_audit.audit_partitions()
    where (first_id is null or first_id <= first) and end_id > first
  ) then
    return;
  end if;
  execute format('create table %s (like core_audit.audit_events including defaults including constraints)', partition);
  execute format(
    'alter table core_audit.audit_events attach partition %s for values from (%L) to (%L)', partition, first, next
  );
  perform core_audit.protect_audit_partition(partition);
end
$$;

-- Completes the protection of a partition. PostgreSQL copies triggers for rows to a partition, but not those for
-- statements, and a detached partition loses the copies. So a partition has its own trigger for rows, too.
create function core_audit.protect_audit_partition(partition regclass) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  grantee oid;
begin
  if not exists (select from pg_trigger where tgrelid = partition and tgname = 'audit_events_no_truncate') then
    execute format(
      'create trigger audit_events_no_truncate before truncate on %s '
        || 'for each statement execute function core_audit.refuse_audit_change()',
      partition
    );
  end if;
  if not exists (
    select from pg_class where oid = partition and relkind = 'p'
    union all
    select from pg_trigger where tgrelid = partition and tgname = 'audit_events_stay_append_only'
  ) then
    execute format(
      'create trigger audit_events_stay_append_only before update or delete on %s '
        || 'for each row execute function core_audit.refuse_audit_change()',
      partition
    );
    execute format('alter table %s enable always trigger audit_events_stay_append_only', partition);
  end if;
  execute format('alter table %s enable always trigger audit_events_append_only', partition);
  execute format('alter table %s enable always trigger audit_events_no_truncate', partition);
  for grantee in
    select distinct a.grantee
    from pg_class c
    cross join aclexplode(c.relacl) a
    where c.oid = partition and a.grantee <> c.relowner
  loop
    execute format(
      'revoke all on %s from %s', partition, case when grantee = 0 then 'public' else grantee::regrole::text end
    );
  end loop;
end
$$;

-- Creates the partitions of the current year and of the next two. Hosts call it: it has the rights of its owner, because
-- the role of a host may not create tables. A repetition changes nothing. It and the functions that it calls search pg_temp
-- last, so a temporary table of the caller cannot replace a catalog.
create function core_audit.create_audit_partitions() returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  this_year integer := extract(year from clock_timestamp() at time zone 'UTC');
begin
  for of_year in this_year..this_year + 2 loop
    perform core_audit.create_audit_partition(of_year);
  end loop;
end
$$;

revoke execute on function
  core_audit.create_audit_partition(integer),
  core_audit.protect_audit_partition(regclass),
  core_audit.create_audit_partitions()
from public;

do $do$
declare
  bound uuid := (
    select substring(pg_get_constraintdef(oid) from '[0-9a-f]{8}-[0-9a-f-]{27}')
    from pg_constraint
    where conrelid = 'core_audit.audit_events'::regclass and conname = 'audit_events_id_check'
  );
  bound_at timestamptz := to_timestamp(('x0000' || left(replace(bound::text, '-', ''), 12))::bit(64)::bigint / 1000);
  first text := 'audit_events_before_' || extract(year from bound_at at time zone 'UTC');
  former pg_class := (select c from pg_class c where oid = 'core_audit.audit_events'::regclass);
  acl record;
begin
  execute format('alter table core_audit.audit_events rename to %I', first);
  execute format('alter index core_audit.audit_events_pkey rename to %I', first || '_pkey');
  execute format('alter index core_audit.audit_events_by_object rename to %I', first || '_by_target');
  drop index core_audit.audit_events_by_target;

  -- The order of the columns needs no padding.
  create table core_audit.audit_events (
    id uuid default core_audit.event_id() constraint audit_events_pkey primary key,
    target_id uuid not null,
    -- Null for events of the service itself.
    actor_user_id uuid,
    occurred_at timestamptz not null default clock_timestamp(),
    -- The package that wrote the event: decides who may see it.
    module text not null,
    target_kind text not null,
    target_type_code text not null,
    action_code text not null,
    correlation_id text,
    metadata jsonb,
    changes jsonb not null default '[]',
    constraint audit_events_names_check check (
      module <> '' and target_kind <> '' and target_type_code <> '' and action_code <> ''
    ),
    constraint audit_events_changes_check check (jsonb_typeof(changes) = 'array'),
    constraint audit_events_metadata_check check (jsonb_typeof(metadata) = 'object')
  ) partition by range (id);
  create index audit_events_by_target on core_audit.audit_events (target_id, id);

  create trigger audit_events_append_only
  before update or delete on core_audit.audit_events
  for each row execute function core_audit.refuse_audit_change();
  create trigger audit_events_no_truncate
  before truncate on core_audit.audit_events
  for each statement execute function core_audit.refuse_audit_change();
  alter table core_audit.audit_events enable always trigger audit_events_append_only;
  alter table core_audit.audit_events enable always trigger audit_events_no_truncate;

  -- The copy of the table's trigger replaces this one.
  execute format('drop trigger audit_events_append_only on core_audit.%I', first);
  execute format(
    'alter table core_audit.audit_events attach partition core_audit.%I for values from (minvalue) to (%L)', first, bound
  );
  execute format('alter table core_audit.%I drop constraint audit_events_id_check', first);

  -- The same owner and the same rights as before, instead of the default privileges of a new table.
  perform core_audit.protect_audit_partition('core_audit.audit_events');
  for acl in
    select a.privilege_type as privilege, a.is_grantable,
      case when a.grantee = 0 then 'public' else a.grantee::regrole::text end as grantee
    from aclexplode(former.relacl) a
    where a.grantee <> former.relowner
  loop
    execute format(
      'grant %s on core_audit.audit_events to %s%s',
      acl.privilege, acl.grantee, case when acl.is_grantable then ' with grant option' else '' end
    );
    if acl.privilege = 'INSERT' then
      execute format('grant execute on function core_audit.create_audit_partitions() to %s', acl.grantee);
    end if;
  end loop;
  perform core_audit.protect_audit_partition(format('core_audit.%I', first));
  perform core_audit.create_audit_partitions();
  if former.relowner <> (select relowner from pg_class where oid = 'core_audit.audit_events'::regclass) then
    execute format('alter table core_audit.audit_events owner to %s', former.relowner::regrole);
  end if;
end
$do$;
