import { asOf, origins, type SourceList } from './source-list.ts'

/** Video and streaming. */
export const videoSources: readonly SourceList[] = [
  {
    category: 'video',
    origin: origins.services,
    asOf,
    sources: {
      youtube: '*.youtube.com youtu.be *.youtube-nocookie.com com.google.android.youtube yt',
      vimeo: '*.vimeo.com',
      twitch: '*.twitch.tv tv.twitch.android.app',
      dailymotion: '*.dailymotion.com dai.ly',
      wistia: '*.wistia.com *.wistia.net',
      rumble: '*.rumble.com',
      odysee: '*.odysee.com',
      kick: '*.kick.com',
      netflix: '*.netflix.com',
      hulu: '*.hulu.com',
      disneyplus: '*.disneyplus.com',
      ted: '*.ted.com',
      bilibili: '*.bilibili.com b23.tv',
      youku: '*.youku.com',
      iqiyi: '*.iqiyi.com *.iq.com',
      crackle: '*.crackle.com',
      curiositystream: '*.curiositystream.com',
      veoh: '*.veoh.com',
      loom: '*.loom.com',
      bitchute: '*.bitchute.com',
    },
  },
  {
    category: 'video',
    origin: origins.advertising,
    asOf,
    isPaid: true,
    sources: {
      youtube: 'youtube-ads',
    },
  },
]
