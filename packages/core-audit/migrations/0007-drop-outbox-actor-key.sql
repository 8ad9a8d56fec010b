-- As for audit events: an event may have an actor without a record in core_audit.users.
--
-- Older code still runs: it never relied on the key. Dropping it takes a brief ACCESS EXCLUSIVE lock on both tables.

alter table core_audit.outbox_events drop constraint outbox_events_actor_user_id_fkey;
