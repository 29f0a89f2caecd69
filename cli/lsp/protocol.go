package lsp

import "encoding/json"

// What follows are the parts of the Language Server Protocol 3.17 that weft speaks, by the names that it has there.

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"` // in UTF-16 code units
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

type identifier struct {
	URI string `json:"uri"`
}

// at is the params of requests about a place in a text.
type at struct {
	TextDocument identifier `json:"textDocument"`
	Position     position   `json:"position"`
	NewName      string     `json:"newName"` // of rename
	Context      struct {
		IncludeDeclaration bool `json:"includeDeclaration"` // of references
	} `json:"context"`
}

func (p at) uri() string { return p.TextDocument.URI }

// about is the params of requests about a text, or a range of it.
type about struct {
	TextDocument identifier `json:"textDocument"`
	Range        textRange  `json:"range"`
}

func (p about) uri() string { return p.TextDocument.URI }

type initializing struct {
	Capabilities struct {
		Workspace struct {
			InlayHint struct {
				RefreshSupport bool `json:"refreshSupport"`
			} `json:"inlayHint"`
		} `json:"workspace"`
	} `json:"capabilities"`
}

type opened struct {
	TextDocument struct {
		URI  string `json:"uri"`
		Text string `json:"text"`
	} `json:"textDocument"`
}

type changed struct {
	TextDocument   identifier `json:"textDocument"`
	ContentChanges []struct {
		Range *textRange `json:"range"` // nil: the whole text
		Text  string     `json:"text"`
	} `json:"contentChanges"`
}

type diagnostic struct {
	Range    textRange `json:"range"`
	Severity int       `json:"severity"` // 1 error, 2 warning
	Code     string    `json:"code"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
	Related  []related `json:"relatedInformation,omitempty"`
	Data     []string  `json:"data,omitempty"` // what to write in its place
}

type related struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type published struct {
	URI         string       `json:"uri"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hover struct {
	Contents markup    `json:"contents"`
	Range    textRange `json:"range"`
}

type completion struct {
	Label  string   `json:"label"`
	Detail string   `json:"detail,omitempty"`
	Edit   textEdit `json:"textEdit"`
}

type signature struct {
	Label         string      `json:"label"`
	Documentation string      `json:"documentation,omitempty"`
	Parameters    []parameter `json:"parameters"`
}

type parameter struct {
	Label         string `json:"label"`
	Documentation string `json:"documentation,omitempty"`
}

type signatureHelp struct {
	Signatures      []signature `json:"signatures"`
	ActiveSignature int         `json:"activeSignature"`
	ActiveParameter int         `json:"activeParameter"`
}

type symbol struct {
	Name           string    `json:"name"`
	Detail         string    `json:"detail,omitempty"`
	Kind           int       `json:"kind"`
	Range          textRange `json:"range"`
	SelectionRange textRange `json:"selectionRange"`
}

type inlayHint struct {
	Position position `json:"position"`
	Label    string   `json:"label"`
	Kind     int      `json:"kind,omitempty"` // 1: a type
	Pad      bool     `json:"paddingLeft,omitempty"`
}

type semanticTokens struct {
	Data []int `json:"data"`
}

type actionParams struct {
	about
	Context struct {
		Diagnostics []diagnostic `json:"diagnostics"`
	} `json:"context"`
}

type codeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []diagnostic  `json:"diagnostics"`
	Edit        workspaceEdit `json:"edit"`
}

// capabilities are what the server answers to initialize.
var capabilities = json.RawMessage(`{"capabilities": {
	"positionEncoding": "utf-16",
	"textDocumentSync": {"openClose": true, "change": 2, "save": true},
	"hoverProvider": true, "definitionProvider": true, "referencesProvider": true, "renameProvider": true,
	"documentSymbolProvider": true, "documentFormattingProvider": true, "inlayHintProvider": true,
	"codeActionProvider": {"codeActionKinds": ["quickfix"]},
	"completionProvider": {"triggerCharacters": [".", "\"", "["]},
	"signatureHelpProvider": {"triggerCharacters": ["(", ","]},
	"semanticTokensProvider": {"full": true, "legend": {"tokenTypes": ["comment", "keyword", "number", "string", "type", "variable", "function", "parameter", "operator"], "tokenModifiers": []}}
}, "serverInfo": {"name": "weft"}}`)
