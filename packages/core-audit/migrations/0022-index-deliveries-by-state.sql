-- Answers: which subjects have a pending delivery, and does a dead letter block the subject? A search for pending deliveries
-- visits no subject that has only dead letters. The index replaces `outbox_deliveries_unfinished`.
--
-- Older code still runs: it does not use this index.
-- compatible: older releases keep working
-- transaction: none

create index concurrently outbox_deliveries_by_state on core_audit.outbox_deliveries (consumer, state, subject, position)
where state in ('pending', 'dead');
