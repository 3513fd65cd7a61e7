@_spi(Studio) import StoreBrowsing

/// The files that pages load. They are part of the program, so that it is one file.
enum Assets {
    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="1" y="2" width="14" height="3.4" fill="#3f6fa8"/><rect x="1" y="6.3" width="8.5" height="3.4" fill="#7fb0ea"/><rect x="10.4" y="6.3" width="4.6" height="3.4" fill="#3f6fa8"/><rect x="1" y="10.6" width="14" height="3.4" fill="#3f6fa8"/></svg>
        """

    static let stylesheet = style + StoreBrowser.diagramStylesheet + modelStyle

    private static let style = """
        :root{color-scheme:light dark;--ink:#1f2328;--soft:#59636e;--page:#fff;--raised:#f3f5f8;--line:#d1d9e0;--link:#0b57b8;--bad:#b3261e;--good:#1a7f37}
        @media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa5b1;--page:#0d1117;--raised:#161c24;--line:#30363d;--link:#7fb0ea;--bad:#ff8a80;--good:#3fb950}}
        *{box-sizing:border-box}
        body{margin:0;font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;color:var(--ink);background:var(--page)}
        header{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;align-items:center;padding:.6rem 1.2rem;background:var(--raised);border-bottom:1px solid var(--line)}
        header nav{display:flex;flex-wrap:wrap;gap:1rem;flex:1}
        header form{display:inline}
        .store{font-weight:600}
        .mode{font-size:.85rem;color:var(--soft)}
        .writable{color:var(--bad);font-weight:600}
        main{padding:1rem 1.2rem;outline:none}
        h1{font-size:1.35rem;margin:.2rem 0 .8rem;overflow-wrap:anywhere}
        h2{font-size:1.05rem;margin:1.4rem 0 .4rem}
        a{color:var(--link);text-underline-offset:2px}
        :focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:2px}
        .skip{position:absolute;left:-99rem}
        .skip:focus{left:.5rem;top:.4rem;background:var(--page);padding:.3rem .6rem;z-index:2}
        .scroll{overflow:auto;max-width:100%}
        table{border-collapse:collapse;font-size:.92rem}
        th,td{padding:.3rem .7rem;border-bottom:1px solid var(--line);text-align:start;vertical-align:top;max-width:32rem;overflow-wrap:break-word}
        thead th{background:var(--raised);white-space:nowrap;position:sticky;top:0}
        tbody th{font-weight:600}
        tbody tr:hover{background:var(--raised)}
        th small{display:block;font-weight:400;color:var(--soft)}
        .number{font-variant-numeric:tabular-nums;white-space:nowrap}
        td{min-width:4rem}
        .null,.note{color:var(--soft)}
        .unexpected,.error{color:var(--bad)}
        .error{border-inline-start:4px solid var(--bad);padding-inline-start:.8rem;white-space:pre-wrap}
        .whole{white-space:pre-wrap;max-height:24rem;overflow:auto}
        .pager{display:flex;flex-wrap:wrap;gap:1rem;margin:.6rem 0}
        .filter{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
        .filter small{flex-basis:100%;color:var(--soft)}
        .completed{position:relative;flex:1 1 24rem;max-width:48rem}
        .completed input{width:100%}
        .completed ul{position:absolute;inset-inline:0;top:100%;margin:0;padding:.2rem 0;list-style:none;max-height:16rem;overflow:auto;background:var(--page);border:1px solid var(--line);box-shadow:0 4px 12px #0004;z-index:3}
        .completed li{padding:.15rem .6rem;cursor:pointer}
        .completed li[aria-selected=true]{background:var(--link);color:var(--page)}
        input,textarea,select,button{font:inherit;color:inherit;background:var(--page);border:1px solid var(--soft);border-radius:4px;padding:.2rem .5rem}
        button{background:var(--raised);cursor:pointer}
        button:disabled{color:var(--soft);border-color:var(--line);cursor:default}
        .object td{display:block;max-width:42rem}
        .object textarea{width:100%;min-width:14rem}
        .object input:not([type=checkbox]),.object select{max-width:100%}
        .object .note{display:block}
        .object label.nil{display:inline-block}
        .object .search{display:flex;gap:.4rem;margin-top:.3rem}
        .members{list-style:none;padding:0}
        .members:empty{margin:0}
        [aria-invalid=true]{border-color:var(--bad);border-width:2px}
        td .error{margin:.2rem 0}
        td ul{margin:.1rem 0 .4rem;padding-inline-start:1.2rem}
        .deletion{margin-top:1.5rem}
        .deletion a{color:var(--bad)}
        .deletion a+*{color:inherit}
        .deletion button{color:var(--bad);border-color:var(--bad)}
        .notice{border-inline-start:4px solid var(--good);padding-inline-start:.8rem}
        .changes:empty{display:none}
        .changes{border-inline-start:4px solid var(--link);padding-inline-start:.8rem}
        tr.changed>*{background:#0b57b822}
        tr.gone>*{text-decoration:line-through;color:var(--soft)}
        .badge{display:inline-block;margin-inline-start:.4rem;color:var(--link)}
        .sql textarea{width:100%;max-width:60rem;display:block;font-family:ui-monospace,monospace;font-size:.9rem}
        .plan{white-space:pre-wrap}
        .columns-choice a{margin-inline-end:.4rem}
        .undo{display:flex;flex-wrap:wrap;gap:.4rem}
        .undo button{max-width:18rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
        pre{background:var(--raised);padding:.8rem;overflow:auto;font-size:.85rem;border:1px solid var(--line);border-radius:4px}
        summary{cursor:pointer;padding:.3rem 0}
        .columns{columns:16rem}
        .timeline{list-style:none;padding:0 0 0 1rem;border-inline-start:3px solid var(--line);margin-inline-start:.4rem}
        .timeline>li{margin-bottom:1rem;position:relative}
        .timeline>li::before{content:"";position:absolute;inset-inline-start:-1.45rem;top:.45rem;width:.7rem;height:.7rem;border-radius:50%;background:var(--link)}
        time{font-weight:600}
        .insertion::marker,.added td{color:var(--good)}
        .deletion::marker,.removed td{color:var(--bad)}
        .map{width:100%;max-width:1100px;border:1px solid var(--line);background:var(--raised)}
        .map .grid{stroke:var(--line);fill:none}
        .map text{font-size:11px;fill:var(--soft)}
        .map circle{fill:var(--link);fill-opacity:.6;stroke:var(--page)}
        .map a:hover circle,.map a:focus circle{fill:var(--bad);fill-opacity:1}
        @media (max-width:40rem){
        header,main{padding-inline:.8rem}
        header nav{order:1;flex-basis:100%;gap:.2rem 1rem}
        th,td{padding-inline:.4rem}
        td>.whole{max-width:calc(100vw - 10rem);overflow-wrap:anywhere}
        .object textarea{min-width:0}
        .object td input:not([type=checkbox]),.object td select{width:calc(100vw - 11rem)}
        .map text{font-size:24px}
        .map circle{r:9px}
        }

        """
}
