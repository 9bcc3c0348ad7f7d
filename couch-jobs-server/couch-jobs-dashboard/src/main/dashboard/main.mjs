import { html, render } from './html.mjs';
import { App } from './app.mjs';
import { startUpdates } from './live.mjs';
import { start } from './router.mjs';

start();
startUpdates();
const place = document.getElementById('app');
place.replaceChildren();
render(html`<${App} />`, place);
