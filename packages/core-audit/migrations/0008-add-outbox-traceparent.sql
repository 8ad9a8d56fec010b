-- The W3C trace context of the span that appended an event, so that the span of its consumer can link to it. Null without
-- tracing.
--
-- Older code still runs: it appends without the column. A nullable column without a default takes a brief lock and rewrites
-- nothing. The column has no check, because adding one would read the whole table; readers ignore malformed values.

alter table core_audit.outbox_events add column traceparent text;
