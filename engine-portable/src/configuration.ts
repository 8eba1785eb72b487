/**
 * The server configuration of the WebAssembly build. Names and defaults: `system.server_settings` and
 * `system.merge_tree_settings` of version 26.5.
 */

// A thread of the engine is a thread of Node, of about 20 MB and a tenth of a second of work to start, and all of them
// share one thread for their files. By default the removal of merged parts would start up to 128 of them: after 250
// small inserts the process used 3.8 GB.
const threads = {
  max_parts_cleaning_thread_pool_size: 1,
  max_active_parts_loading_thread_pool_size: 1,
  max_outdated_parts_loading_thread_pool_size: 1,
  max_unexpected_parts_loading_thread_pool_size: 1,
  max_prefixes_deserialization_thread_pool_size: 1,
  max_format_parsing_thread_pool_size: 1,
  max_io_thread_pool_size: 2,
  load_marks_threadpool_pool_size: 1,
  prefetch_threadpool_pool_size: 1,
  threadpool_writer_pool_size: 1,
  threadpool_local_fs_reader_pool_size: 1,
  parts_killer_pool_size: 1,
}

// Of the 2 GB that the build can address at all.
const caches = { mark_cache_size: 134_217_728, primary_index_cache_size: 134_217_728 }

// The build does not subtract what a statement gave back, some 100 KB each. After some 18,000 statements its sum passed
// the 1.8 GB that it allows itself, and it refused every statement from then on. So there is no limit on the sum; each
// statement has one of its own, and an engine that has really grown is restarted.
const memory = { max_server_memory_usage_to_ram_ratio: 1_000 }

// A part of `events` has a hundred files, and each that is open has two buffers of the largest block. With the usual
// megabyte a merge of seven small parts used 475 MB and, after eight inserts of 100,000 events, the engine 1.3 GB, so
// that it had to be restarted; with an eighth of it and merges that take one column after the other, for any size, 40
// and 380 MB. The files are 3 % larger.
const buffers = { max_compress_block_size: 131_072, vertical_merge_algorithm_min_rows_to_activate: 1 }

// A merge of a few rows takes as much of the processor as one or two inserts, for any number of them. By default the
// engine merges whenever there are six parts, which was 130 of 500 ms for a segment of five events. The least number of
// parts to merge at once is no way to that: from there on the engine rewrites the largest part for every insert.
const merges = { merge_selector_base: 10 }

const tables = {
  // A mutation copies the files that it does not change: the build has no hard links, so that a DELETE which finds
  // nothing in one of the parts would otherwise fail.
  always_use_copy_instead_of_hardlinks: 1,
  ...buffers,
  ...merges,
}

const elements = (values: Readonly<Record<string, number>>): string =>
  Object.entries(values)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('')

export const configuration = `<clickhouse>
${elements({ ...threads, ...caches, ...memory })}
<merge_tree>${elements(tables)}</merge_tree>
</clickhouse>`
