import { asOf, origins, type SourceList } from './source-list.ts'

/** Assistants that answer from the web. */
export const assistantSources: readonly SourceList[] = [
  {
    category: 'ai',
    origin: origins.services,
    asOf,
    sources: {
      chatgpt: '*.chatgpt.com chat.openai.com openai.com com.openai.chatgpt openai',
      claude: '*.claude.ai com.anthropic.claude anthropic',
      gemini: 'gemini.google.com bard.google.com com.google.android.apps.bard bard',
      'google ai studio': 'aistudio.google.com',
      notebooklm: 'notebooklm.google.com notebooklm.google',
      copilot: 'copilot.microsoft.com copilot.cloud.microsoft m365.cloud.microsoft com.microsoft.copilot',
      perplexity: '*.perplexity.ai ai.perplexity.app.android',
      grok: '*.grok.com ai.x.grok',
      deepseek: '*.deepseek.com com.deepseek.chat',
      mistral: 'chat.mistral.ai mistral.ai',
      'meta ai': '*.meta.ai meta-ai',
      poe: '*.poe.com',
      you: '*.you.com',
      phind: '*.phind.com',
      pi: '*.pi.ai',
      kimi: '*.kimi.com *.kimi.ai kimi.moonshot.cn',
      qwen: '*.qwen.ai tongyi.aliyun.com',
      doubao: '*.doubao.com',
      'hugging face chat': 'huggingface.co',
      duckai: 'duck.ai',
      felo: '*.felo.ai',
      genspark: '*.genspark.ai',
      manus: '*.manus.im',
      'le chat': 'lechat.mistral.ai',
      liner: '*.liner.com *.getliner.com',
      andi: '*.andisearch.com',
      komo: '*.komo.ai',
    },
  },
]
