-- Answers: what happened to this object, newest first? Ids are in the order of the events, so this index replaces
-- audit_events_by_target, which also has the names and the time: 64 instead of 124 bytes for each event.
--
-- Older code still runs: the other index exists until 0012.
-- transaction: none

create index concurrently audit_events_by_object on core_audit.audit_events (target_id, id);
