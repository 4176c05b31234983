/** What the inbound webhook of Postmark sends. */

/** As Postmark's documentation has it, but for the length of its texts. */
export const postmarkSample = {
  FromName: 'Postmarkapp Support',
  MessageStream: 'inbound',
  From: 'support@postmarkapp.com',
  FromFull: { Email: 'support@postmarkapp.com', Name: 'Postmarkapp Support', MailboxHash: '' },
  To: '"Firstname Lastname" <yourhash+SampleHash@inbound.postmarkapp.com>',
  ToFull: [
    {
      Email: 'yourhash+SampleHash@inbound.postmarkapp.com',
      Name: 'Firstname Lastname',
      MailboxHash: 'SampleHash',
    },
  ],
  Cc: '"First Cc" <firstcc@postmarkapp.com>, secondCc@postmarkapp.com',
  CcFull: [
    { Email: 'firstcc@postmarkapp.com', Name: 'First Cc', MailboxHash: '' },
    { Email: 'secondCc@postmarkapp.com', Name: '', MailboxHash: '' },
  ],
  Bcc: '"First Bcc" <firstbcc@postmarkapp.com>',
  BccFull: [{ Email: 'firstbcc@postmarkapp.com', Name: 'First Bcc', MailboxHash: '' }],
  OriginalRecipient: 'yourhash+SampleHash@inbound.postmarkapp.com',
  Subject: 'Test subject — Grüße',
  MessageID: '73e6d360-66eb-11e1-8e72-a8904824019b',
  ReplyTo: 'replyto@postmarkapp.com',
  MailboxHash: 'SampleHash',
  Date: 'Fri, 1 Aug 2014 16:45:32 -04:00',
  TextBody: 'This is a test text body.',
  HtmlBody: '<html><body><p>This is a test text body.</p></body></html>',
  StrippedTextReply: 'This is the reply text',
  Tag: 'TestTag',
  Headers: [
    { Name: 'X-Header-Test', Value: '' },
    { Name: 'X-Spam-Status', Value: 'No' },
    {
      Name: 'Message-ID',
      Value: '<CAGXpo2WKfxHWZ5UFYCR3H_J9SNMG+5AXUovfEFL6DjWBJSyZaA@mail.example>',
    },
    { Name: 'In-Reply-To', Value: '<0a129aee-e1cd-480d-b08d-4f48548ff48d@mtasv.net>' },
    {
      Name: 'References',
      Value: '<first@mail.example> <0a129aee-e1cd-480d-b08d-4f48548ff48d@mtasv.net>',
    },
  ],
  Attachments: [
    {
      Name: 'test.txt',
      Content: 'VGhpcyBpcyBhdHRhY2htZW50IGNvbnRlbnRzLCBiYXNlLTY0IGVuY29kZWQu',
      ContentType: 'text/plain',
      ContentLength: 45,
      ContentID: '',
    },
  ],
}
