/** Mails as honest senders write them, with the words that must survive. */
import { templateMails } from './template-mails.ts'

export interface OrdinaryMail {
  name: string
  html: string
  visible: string[]
  hidden?: string[]
}

export const ordinaryMails: OrdinaryMail[] = [
  {
    name: 'a newsletter with a preheader',
    html: `<!DOCTYPE html><html><head><title>News</title><style>
      body{margin:0;background:#f4f4f4} .wrap{font-size:0;line-height:0;overflow:hidden}
      .wrap td{font-size:15px;line-height:22px} .preheader{display:none!important;max-height:0}
      .mobile{display:none} @media (max-width:600px){.desktop{display:none!important}.mobile{display:block!important}}
      @media (prefers-color-scheme:dark){body,td{background:#000!important;color:#f4f4f4!important}}
      a:hover{color:#fff} .footer{color:#bbbbbb;font-size:11px}
      </style></head><body><div class="preheader">This week in short&nbsp;&zwnj;&nbsp;&zwnj;</div>
      <table class="wrap" width="600"><tr><td>Our <b>summer</b> sale</td></tr>
      <tr><td class="desktop">On every desk</td><td class="mobile">On every phone</td></tr>
      <tr><td style="background-color:#0055aa;border-radius:4px"><a href="https://shop.example/sale"
      style="color:#ffffff;text-decoration:none">Shop now</a></td></tr>
      <tr><td class="footer">Unsubscribe here</td></tr></table></body></html>`,
    visible: [
      'Our summer sale',
      'On every desk',
      'Shop now (https://shop.example/sale)',
      'Unsubscribe here',
    ],
    hidden: ['This week in short', 'On every phone'],
  },
  {
    name: 'buttons in white on a colour',
    html: `<table><tr><td bgcolor="#1a73e8"><font color="#ffffff">Confirm</font></td></tr></table>
      <a href="https://a.example/b" style="background:#d00;color:#fff;mso-hide:all;padding:9px">Buy</a>
      <div style="background:linear-gradient(90deg,#f06,#60f)"><span style="color:white">Party</span></div>
      <div style="background:#333 url(https://a.example/hero.jpg)"><h1 style="color:#fff">Hero</h1></div>
      <div style="background:rgba(0,0,0,.8);color:#eee">Dark box</div><button style="color:#000">Press</button>`,
    visible: ['Confirm', 'Buy', 'Party', 'Hero', 'Dark box', 'Press'],
  },
  {
    name: 'a dark page with white text',
    html: '<body bgcolor="black" text="white"><p>Night</p><div style="background:#fff;color:#111">Day</div></body>',
    visible: ['Night', 'Day'],
  },
  {
    name: 'a table of an order',
    html: '<table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea</td><td>4 €</td></tr><tr><td colspan=2>Total&nbsp;4 €</td></tr></table>',
    visible: ['Item | Price\nTea | 4 €\nTotal 4 €'],
  },
  {
    name: 'an answer with a signature and a quotation',
    html: '<div>Yes, <i>gladly</i>.</div><div><br></div><div>-- <br>Jane Doe<br><a href="mailto:jane@example.com">jane@example.com</a></div><blockquote>Shall we?<br>Joe</blockquote>',
    visible: ['Yes, gladly.', '--\nJane Doe\njane@example.com', '> Shall we?\n> Joe'],
    hidden: ['mailto:'],
  },
  {
    name: 'lists and code',
    html: '<h2>Steps</h2><ol><li>One<li>Two<ul><li>half</ul></ol><pre>a\n  b</pre>&lt;tag&gt; 😀👩‍💻',
    visible: ['Steps\n\n1. One\n2. Two\n  - half', 'a\n  b', '<tag> 😀👩‍💻'],
  },
  {
    name: 'looks that only seem to hide',
    html: `<div style="font-size:0"><span style="font-size:14px">A1</span></div>
      <div style="visibility:hidden">-<b style="visibility:visible">A2</b></div>
      <div style="overflow:hidden;max-width:600px">A3</div><p style="margin:-10px 0">A4</p>
      <p style="color:#fff;color:#000">A5</p><p style="opacity:.5">A7</p>
      <div style="color:#fff"><a href="https://a.example">A8</a></div><p style="margin-left:30px;text-indent:-20px">A9</p>
      <div style="height:0;padding-bottom:56%;overflow:hidden;position:relative">B1</div>
      <style>.n{display:none}@media print{p{display:none}}p.n{display:block}</style><p class="n">B2</p>`,
    visible: ['A1', 'A2', 'A3', 'A4', 'A5', 'A7', 'A8', 'A9', 'B1', 'B2'],
  },
  ...templateMails,
]
