-- Names of payments are forgotten after a year.
CREATE INDEX webhook_memory_payments ON webhook_memory (updated_at) WHERE key LIKE 'payment:%';
