import { runSql } from './harness.ts'

/**
 * Lets inserts of matching rows fail, like a server whose time limit they exceed. `when` is a condition of `new`. Returns a function
 * that ends this.
 */
export async function cancelInserts(url: string, table: string, when: string): Promise<() => Promise<void>> {
  await runSql(
    url,
    `create function public.cancel() returns trigger language plpgsql as $$
     begin
       raise exception 'canceling statement due to statement timeout' using errcode = 'query_canceled';
     end $$;
     create trigger cancel after insert on ${table} for each row when (${when}) execute function public.cancel()`,
  )
  return () => runSql(url, 'drop function public.cancel() cascade')
}
