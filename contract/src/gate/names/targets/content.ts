import type { RuleTarget } from './rule-target.ts'

export const search: RuleTarget = {
  target: '$search',
  names: {
    seed: ['query_searched'],
    kin: ['searched', 'search_performed', 'search_submitted', 'site_search'],
    ga4: ['search', 'view_search_results'],
    segment: ['Products Searched'],
    mixpanel: ['Search Completed'],
    amplitude: ['Perform Search'],
  },
  synonyms: {
    query: ['search_term', 'search_query', 'searchTerm', 'searchQuery', 'keyword', 'q', 'term'],
    result_count: ['results_count', 'resultCount', 'num_results', 'number_of_results'],
  },
}

export const download: RuleTarget = {
  target: '$download',
  names: {
    seed: ['file_downloaded'],
    kin: ['download', 'downloaded', 'download_completed'],
    ga4: ['file_download'],
    amplitude: ['[Amplitude] File Downloaded'],
  },
  synonyms: {
    file_url: ['link_url', 'download_url', 'fileUrl', 'Link URL', '[Amplitude] Link URL', 'file_name'],
    file_type: ['file_extension', 'extension', 'fileType', 'File Extension', '[Amplitude] File Extension'],
    file_size: ['fileSize', 'file_size_bytes'],
  },
}

export const share: RuleTarget = {
  target: '$share',
  names: {
    seed: ['content_shared'],
    kin: ['shared', 'share_completed', 'article_shared', 'link_shared'],
    ga4: ['share'],
    segment: ['Product Shared', 'Cart Shared'],
    mixpanel: ['Share Content'],
  },
  synonyms: {
    channel: ['method', 'share_via', 'network', 'social_network', 'share_channel', 'shareVia'],
    content_id: ['item_id', 'product_id', 'article_id', 'contentId', 'cart_id'],
  },
}

export const feedback: RuleTarget = {
  target: '$feedback',
  names: {
    seed: ['nps_submitted'],
    kin: [
      'feedback',
      'feedback_submitted',
      'review_submitted',
      'rating_submitted',
      'survey_submitted',
      'csat_submitted',
    ],
    segment: ['Product Reviewed'],
  },
  synonyms: {
    score: ['nps_score', 'nps', 'rating', 'stars', 'value'],
    comment: ['feedback_text', 'review_body', 'review', 'message'],
    type: ['feedback_type', 'survey_type'],
  },
}
