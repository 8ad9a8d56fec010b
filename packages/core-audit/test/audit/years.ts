import { runSql } from '../harness.ts'

/**
 * Replaces the empty first partition by one partition for each year from `first` to `last`. The migration has created those
 * of the next two years.
 */
export const createYears = (url: string, first: number, last: number): Promise<void> =>
  runSql(
    url,
    `do $$ begin
       execute (select 'drop table core_audit.' || name from core_audit.audit_partitions() where first_id is null);
     end $$;
     select core_audit.create_audit_partition(y) from generate_series(${first}, ${last}) y`,
  )

/** Writes `count` events of the module `things` about one object into the partition of each year. */
export const fillYears = (
  url: string,
  {
    id,
    first,
    last,
    count,
  }: { readonly id: string; readonly first: number; readonly last: number; readonly count: number },
): Promise<void> =>
  runSql(
    url,
    `insert into core_audit.audit_events (
       id, module, target_kind, target_type_code, target_id, action_code, occurred_at, metadata
     )
     select overlay(core_audit.first_event_id(at)::text placing lpad(to_hex(n), 4, '0') || left(md5('${id}'), 8) from 25)::uuid,
       'things', 'Document', 'order', '${id}', 'changed', at, jsonb_build_object('year', y, 'n', n)
     from generate_series(${first}, ${last}) y
     cross join generate_series(1, ${count}) n
     cross join make_timestamptz(y, 6, 1, 12, 0, 0, 'UTC') at`,
  )
