-- An application may keep its users in tables of its own: the actor of an event then has no record in core_audit.users, and
-- the key refused the event. Names still come from the record where there is one.
--
-- Older code still runs: it never relied on the key. Dropping it takes a brief ACCESS EXCLUSIVE lock on both tables.

alter table core_audit.audit_events drop constraint audit_events_actor_user_id_fkey;
