import { assistantSources } from './lists/assistant-sources.ts'
import { mailSources } from './lists/mail-sources.ts'
import { otherSources } from './lists/other-sources.ts'
import { searchSources } from './lists/search-sources.ts'
import { shoppingSources } from './lists/shopping-sources.ts'
import { socialSources } from './lists/social-sources.ts'
import type { SourceList } from './lists/source-list.ts'
import { videoSources } from './lists/video-sources.ts'

/** Well-known sources of visits. */
export const sourceLists: readonly SourceList[] = [
  ...searchSources,
  ...socialSources,
  ...videoSources,
  ...shoppingSources,
  ...assistantSources,
  ...mailSources,
  ...otherSources,
]
